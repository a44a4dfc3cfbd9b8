/** kill -9 at every step: after a restart the job completes with the text of an undisturbed run, each window's once. */
import Database from 'better-sqlite3'
import { execFileSync } from 'node:child_process'
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { Test } from 'tap'
import { countClaims, readSegments, STAGE, watchClaims } from '../support/claims.ts'
import { createClient } from '../support/client.ts'
import { holdSound } from '../support/ffmpeg.ts'
import { AUDIO } from '../support/paths.ts'
import { runCommand, startServer } from '../support/program.ts'
import type { RunningServer } from '../support/program.ts'
import { createRandom } from '../support/random.ts'
import { waitFor } from '../support/wait.ts'

/** Of a server of these tests. */
const WORKERS = 2

type Rows = { job: { stage: string, status: string } | undefined, running: number, sampled: number, done: number, segments: number }

/** What the database says, read from outside. */
function look (dataDir: string): Rows {
  const db = new Database(dataDir + '/app.db', { readonly: true })
  try {
    const count = (sql: string): number => (db.prepare(sql).get() as { n: number }).n
    return {
      job: db.prepare(`SELECT ${STAGE} AS stage, j.status FROM job j WHERE j.id = 1`).get() as Rows['job'],
      running: count('SELECT count(*) AS n FROM work WHERE kind IN (\'language\', \'transcribe\') AND state = \'running\''),
      sampled: count('SELECT count(*) AS n FROM window WHERE result IS NOT NULL'),
      done: count('SELECT count(*) AS n FROM window WHERE word_count IS NOT NULL'),
      segments: count('SELECT count(*) AS n FROM segment')
    }
  } finally {
    db.close()
  }
}

/** Kills the server as soon as the database shows what `when` waits for. */
async function killWhen (server: RunningServer, dataDir: string, when: (rows: Rows) => boolean): Promise<Rows> {
  await waitFor('the moment to kill', () => when(look(dataDir)), { progress: () => look(dataDir) })
  await server.kill9()
  return look(dataDir)
}

/** Everything below the data directory that a finished job should not leave. */
const leftovers = (dataDir: string): string[] => ['work', 'uploads'].flatMap((place) => readdirSync(`${dataDir}/${place}`))

async function restartAndFinish (t: Test, dataDir: string, key: string): Promise<string> {
  const server = await startServer(dataDir)
  t.teardown(server.stop)
  const job = await createClient(server.address, key).ended(1)
  t.equal(job.status, 'completed')
  t.equal(await server.stop(), 0)
  t.strictSame(leftovers(dataDir), [], 'nothing is left behind')
  return job.transcriptText ?? ''
}

// Two minutes, as a file of several parts and five windows.
const directory = t.testdir()
const recording = directory + '/recording.wav'
execFileSync('ffmpeg', ['-v', 'error', '-stream_loop', '2', '-i', AUDIO + 'dialogue.mp3', '-ac', '1', '-ar', '16000', recording])
const bytes = readFileSync(recording)
let wholeText = ''
let wholeSegments: unknown[] = []

t.test('an undisturbed run for comparison', async (t) => {
  const dataDir = directory + '/whole'
  const { stdout, code } = await runCommand(dataDir, ['transcribe', recording])
  t.equal(code, 0)
  // As a file, the text has paragraphs.
  wholeText = stdout.trim().replaceAll('\n\n', ' ')
  wholeSegments = readSegments(dataDir)
  t.ok(wholeSegments.length > 15)
})

t.test('a crash during an upload keeps the acknowledged parts, and the rest can be sent', async (t) => {
  const dataDir = t.testdir()
  const first = await startServer(dataDir)
  const key = first.firstKey ?? ''
  const client = createClient(first.address, key)
  const upload = await client.begin(bytes)
  t.ok(upload.partCount > 1)
  await client.sendPart(upload, 1, bytes)
  // The second part is under way, half sent, when the process dies.
  const broken = new Promise((resolve) => {
    const request = httpRequest(upload.parts[1]?.url ?? '', {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}`, 'content-length': upload.partSize }
    })
    request.once('error', () => { resolve('broken') }).write(bytes.subarray(0, upload.partSize / 2))
  })
  await waitFor('half a part', () => readdirSync(`${dataDir}/uploads/${upload.uploadId}`).some((name) => name.endsWith('.tmp')))
  await first.kill9()
  t.equal(await broken, 'broken')

  const second = await startServer(dataDir)
  const again = createClient(second.address, key)
  const {
    body: { data }
  } = await again.request<{ missing: number[], received: unknown[] }>('GET', `/api/v1/media/uploads/${upload.uploadId}`)
  t.strictSame(data.missing, upload.parts.slice(1).map((part) => part.partNumber))
  t.equal(data.received.length, 1)
  t.notOk(readdirSync(`${dataDir}/uploads/${upload.uploadId}`).some((name) => name.endsWith('.tmp')), 'the half part is gone')
  const parts = upload.parts.map((part) => ({ ...part, url: part.url.replace(first.origin, second.origin) }))
  for (const partNumber of data.missing) await again.sendPart({ ...upload, parts }, partNumber, bytes)
  t.match(await again.complete(upload.uploadId), { status: 200, body: { data: { jobId: 1 } } })
  t.equal((await again.ended(1)).transcriptText, wholeText)
  t.equal(await second.stop(), 0)
})

t.test('a crash during decoding loses no transcript', async (t) => {
  const dataDir = t.testdir() + '/data'
  // Two and a half minutes of more than three: the first windows are settled after two. The language is given, so that they are worked on
  // while decoding goes on.
  const held = holdSound(t.testdirName, 5_000_000)
  let server = await startServer(dataDir, held)
  const key = server.firstKey ?? ''
  watchClaims(dataDir)
  await createClient(server.address, key).upload(bytes, { language: 'en' })
  for (const isReached of [({ running }: Rows) => running === WORKERS, ({ done }: Rows) => done > 0]) {
    t.match(await killWhen(server, dataDir, isReached), { job: { stage: 'decode', status: 'processing' } })
    server = await startServer(dataDir, held)
  }
  await server.kill9()
  t.equal(await restartAndFinish(t, dataDir, key), wholeText)
  t.strictSame(readSegments(dataDir), wholeSegments)
  t.ok(countClaims(dataDir).repeated <= 3 * WORKERS, 'windows of a decode that died are not used before it is repeated')
})

t.test('five crashes at random moments lose no transcript', async (t) => {
  const dataDir = t.testdir()
  const random = createRandom(20)
  let server = await startServer(dataDir)
  const key = server.firstKey ?? ''
  watchClaims(dataDir)
  await createClient(server.address, key).upload(bytes)
  for (let kill = 0; kill < 5; kill++) {
    await sleep(random() * 1500)
    await server.kill9()
    server = await startServer(dataDir)
  }
  await server.kill9()
  t.equal(await restartAndFinish(t, dataDir, key), wholeText)
  t.strictSame(readSegments(dataDir), wholeSegments, 'text, times and probabilities are those of a run that nobody disturbed')
  t.ok(countClaims(dataDir).repeated <= 6 * WORKERS, 'a kill costs each worker its window at most')
})

t.test('three crashes in the middle of a window lose no transcript', async (t) => {
  const dataDir = t.testdir()
  let server = await startServer(dataDir)
  const key = server.firstKey ?? ''
  await createClient(server.address, key).upload(bytes)
  for (const wanted of [0, 1, 3]) {
    const rows = await killWhen(server, dataDir, ({ running, done }) => running > 0 && done >= wanted)
    t.ok(rows.running > 0, `windows were running, ${rows.done} were done`)
    server = await startServer(dataDir)
  }
  await server.stop()
  t.equal(await restartAndFinish(t, dataDir, key), wholeText)
  t.strictSame(readSegments(dataDir), wholeSegments, 'each window\'s segments are there once, word for word')
})

t.test('a crash between the last window and completion loses nothing', async (t) => {
  const dataDir = t.testdir() + '/data'
  cpSync(directory + '/whole', dataDir, { recursive: true })
  const key = (await runCommand(dataDir, ['keys', 'create', '--name', 'test'])).stdout.trim()
  // The state a process leaves that dies right there: all windows stored, the job not completed.
  const db = new Database(dataDir + '/app.db')
  db.exec('UPDATE job SET status = \'processing\', completed_at = NULL')
  db.exec('DELETE FROM work')
  db.exec('INSERT INTO work (kind, job_id, run) SELECT \'complete\', id, retry_count FROM job')
  db.close()
  t.equal(await restartAndFinish(t, dataDir, key), wholeText)
  t.strictSame(readSegments(dataDir), wholeSegments)
})

t.test('a crash while the language is sampled, with the decoded audio lost', async (t) => {
  const dataDir = t.testdir()
  const server = await startServer(dataDir, { STENOBOX_WORKERS: '1' })
  const key = server.firstKey ?? ''
  await createClient(server.address, key).upload(bytes)
  const rows = await killWhen(server, dataDir, ({ job, sampled }) => job?.stage === 'language' && sampled > 0)
  t.match(rows.job, { stage: 'language' })
  rmSync(`${dataDir}/work/1`, { recursive: true })
  t.equal(await restartAndFinish(t, dataDir, key), wholeText)
  t.strictSame(readSegments(dataDir), wholeSegments)
})

t.test('a graceful stop does not wait for a client that never ends its request', async (t) => {
  const dataDir = t.testdir()
  const server = await startServer(dataDir)
  const key = server.firstKey ?? ''
  const upload = await createClient(server.address, key).begin(bytes)
  const hanging = httpRequest(upload.parts[0]?.url ?? '', {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-length': upload.partSize }
  })
  hanging.on('error', () => {}).write('x')
  await waitFor('the upload', () => readdirSync(`${dataDir}/uploads`).includes(upload.uploadId))
  t.equal(await server.stop(), 0)
})

t.test('a graceful stop returns the running windows and ends within seconds', async (t) => {
  const dataDir = t.testdir()
  const server = await startServer(dataDir)
  const key = server.firstKey ?? ''
  await createClient(server.address, key).upload(bytes)
  await waitFor('a window', () => look(dataDir).running > 0, { progress: () => look(dataDir) })
  t.equal(await server.stop(), 0)
  t.match(look(dataDir), { running: 0, job: { status: 'processing' } })
  t.equal(await restartAndFinish(t, dataDir, key), wholeText)
})
