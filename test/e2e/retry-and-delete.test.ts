/** Retries a failed job and deletes transcriptions during the work, with the real program and real recordings. */
import Database from 'better-sqlite3'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import t from 'tap'
import type { Test } from 'tap'
import { countClaims, readProgress, readSegments, watchClaims } from '../support/claims.ts'
import { createClient } from '../support/client.ts'
import type { Client } from '../support/client.ts'
import { breakSound, holdSound } from '../support/ffmpeg.ts'
import { AUDIO } from '../support/paths.ts'
import { runCommand, startServer } from '../support/program.ts'
import type { RunningServer } from '../support/program.ts'
import { waitFor } from '../support/wait.ts'

/** Two minutes: five windows. */
const directory = t.testdir()
const recording = directory + '/recording.wav'
execFileSync('ffmpeg', ['-v', 'error', '-stream_loop', '2', '-i', AUDIO + 'dialogue.mp3', '-ac', '1', '-ar', '16000', recording])

const files = (dataDir: string): string[] =>
  ['media', 'work', 'uploads'].flatMap((place) => readdirSync(`${dataDir}/${place}`).map((name) => `${place}/${name}`))

/** Rows of a job, wherever there could be some. */
function rows (dataDir: string): number {
  const db = new Database(dataDir + '/app.db', { readonly: true })
  try {
    return ['job', 'job_stage', 'media', 'window', 'segment', 'upload'].reduce(
      (sum, table) => sum + (db.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number),
      0
    )
  } finally {
    db.close()
  }
}

async function start (
  t: Test,
  dataDir: string,
  settings: Record<string, string> = {}
): Promise<{ server: RunningServer, client: Client, upload: () => Promise<number> }> {
  const server = await startServer(dataDir, settings)
  t.teardown(server.stop)
  const client = createClient(server.address, server.firstKey ?? '')
  return { server, client, upload: async () => await client.uploadFile(recording, { language: 'en' }) }
}

/** Deletes job 1 and checks that nothing of it is left and that the next recording is transcribed. */
async function deleteAndGoOn (
  t: Test,
  dataDir: string,
  { server, client }: { server: RunningServer, client: Client },
  afterwards = (): void => {}
): Promise<void> {
  t.match(await client.request('DELETE', '/api/v1/transcriptions/1'), { status: 200, body: { data: { id: 1 } } })
  t.equal(rows(dataDir), 0)
  t.match(await client.request('GET', '/api/v1/jobs/1'), { status: 404 })
  t.match(await client.request('DELETE', '/api/v1/transcriptions/1'), { status: 404 })
  await waitFor('the removal of all files', () => files(dataDir).length === 0, { progress: () => files(dataDir) })
  afterwards()
  t.match(await client.ended(await client.uploadFile(AUDIO + 'en-1.wav')), { id: 2, status: 'completed', transcriptText: /meeting/ })
  t.strictSame(readSegments(dataDir, 1), [], 'what was being done for it went nowhere')
  t.equal(await server.stop(), 0)
  t.strictSame(
    files(dataDir).filter((name) => !name.startsWith('media/')),
    []
  )
  t.notMatch(server.log(), /"level":50/, 'and nothing of it is an error')
}

t.test('a retry after a failed decode keeps the finished windows and gives the text of an undisturbed run', async (t) => {
  const whole = directory + '/whole'
  await runCommand(whole, ['transcribe', recording, '--language', 'en'])
  const dataDir = t.testdir()
  const { die, PATH } = breakSound(dataDir, 5_000_000)
  const { client, upload } = await start(t, dataDir, { PATH })
  watchClaims(dataDir)
  const id = await upload()
  await waitFor('two windows', () => {
    const progress = readProgress(dataDir)
    return progress !== undefined && progress.done >= 2 && progress.running === 0
  }, { progress: () => readProgress(dataDir) })
  die()
  t.match(await client.ended(id), { status: 'failed', failure: { code: 'decode_failed' }, retryable: true, retryCount: 0 })
  t.notOk(existsSync(`${dataDir}/work/${id}`))
  t.match(await client.request('POST', `/api/v1/jobs/${id}/retry`), {
    status: 200, body: { data: { jobId: id, status: 'queued', retryCount: 1, retryable: false } }
  })
  t.match(await client.ended(id), { status: 'completed', failure: null, retryable: false, retryCount: 1 })
  t.strictSame(readSegments(dataDir), readSegments(whole))
  t.equal(countClaims(dataDir).repeated, 0, 'no window was transcribed twice')
  t.match(await client.request('POST', `/api/v1/jobs/${id}/retry`), { status: 409 })
})

t.test('deleted while it is decoded and transcribed at once', async (t) => {
  const dataDir = t.testdir()
  const it = await start(t, dataDir, holdSound(dataDir, 5_000_000))
  await it.upload()
  await waitFor('a running window', () => (readProgress(dataDir)?.running ?? 0) > 0)
  t.equal(readProgress(dataDir)?.stage, 'decode')
  await deleteAndGoOn(t, dataDir, it, () => { rmSync(dataDir + '/ffmpeg') })
})

t.test('deleted while it is transcribed', async (t) => {
  const dataDir = t.testdir()
  const it = await start(t, dataDir)
  await it.upload()
  await waitFor('a window after the first', () => {
    const progress = readProgress(dataDir)
    return progress?.stage === 'transcribe' && progress.running > 0 && progress.done > 0
  }, { progress: () => readProgress(dataDir) })
  t.match(await it.client.job(1), { status: 'processing' })
  await deleteAndGoOn(t, dataDir, it)
})

t.test('deleted when completed', async (t) => {
  const dataDir = t.testdir()
  const it = await start(t, dataDir)
  t.match(await it.client.ended(await it.upload()), { status: 'completed' })
  await deleteAndGoOn(t, dataDir, it)
})

t.test('a process that dies between the rows and the files: the next one removes the files', async (t) => {
  const dataDir = t.testdir()
  const { server, upload } = await start(t, dataDir)
  await upload()
  await waitFor('a window', () => (readProgress(dataDir)?.done ?? 0) > 0)
  await server.kill9()
  const db = new Database(dataDir + '/app.db')
  db.exec('DELETE FROM upload; DELETE FROM job; DELETE FROM media')
  db.close()
  t.ok(files(dataDir).length >= 2)
  mkdirSync(`${dataDir}/uploads/some-upload`)
  writeFileSync(`${dataDir}/uploads/some-upload/1-x.part`, 'x')
  // Files of a day ago: younger ones could be those whose rows are about to come.
  const daysAgo = Date.now() / 1000 - 25 * 3600
  for (const name of files(dataDir)) utimesSync(`${dataDir}/${name}`, daysAgo, daysAgo)
  await start(t, dataDir)
  await waitFor('the removal of all files', () => files(dataDir).length === 0, { progress: () => files(dataDir) })
  t.equal(rows(dataDir), 0)
})
