/** The process that runs inference is killed, or gets no memory: the server stays, and no word is lost. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import type { Test } from 'tap'
import { readSegments } from '../support/claims.ts'
import { createClient } from '../support/client.ts'
import { AUDIO } from '../support/paths.ts'
import { findInferenceProcess } from '../support/processes.ts'
import { runCommand, startServer } from '../support/program.ts'
import { createRandom } from '../support/random.ts'

/** How often the process is killed. */
const KILLS = Number(process.env['STENOBOX_TEST_INFERENCE_KILLS'] ?? 4)
/** Windows of at most 30 s: each kill needs one that was stored since the one before, and two may be stored at once. */
const SECONDS = 60 * KILLS
const directory = t.testdir()
const recording = directory + '/recording.wav'
execFileSync('ffmpeg', ['-v', 'error', '-stream_loop', '-1', '-i', AUDIO + 'dialogue.mp3', '-t', String(SECONDS), '-ac', '1', recording])

async function startWithJob (t: Test, file: string) {
  const dataDir = t.testdir()
  const server = await startServer(dataDir)
  t.teardown(server.stop)
  const client = createClient(server.address, server.firstKey ?? '')
  return { dataDir, server, client, id: await client.upload(readFileSync(file)) }
}

t.test(`${KILLS} times kill -9 of the inference process change no word`, async (t) => {
  await runCommand(directory + '/whole', ['transcribe', recording])
  const { dataDir, server, client, id } = await startWithJob(t, recording)
  const ended = client.ended(id)
  const end = new AbortController()
  const stop = (): void => { end.abort() }
  ended.then(stop, stop)
  const random = createRandom(7)
  for (let kills = 0, stored = -1; kills < KILLS && !end.signal.aborted;) {
    await sleep(100 * random())
    const pid = findInferenceProcess(server.pid)
    // A window may begin only so often: it is not killed again before one was stored.
    const now = readSegments(dataDir).length
    if (pid === undefined || now === stored) continue
    process.kill(pid, 'SIGKILL')
    stored = now
    kills++
  }
  t.equal((await ended).status, 'completed')
  t.equal(server.log().split('the inference process is replaced').length - 1, KILLS)
  t.strictSame(readSegments(dataDir), readSegments(directory + '/whole'))
})

t.test('a job that gets no memory fails, and the server serves the next one', async (t) => {
  const { server, client, id } = await startWithJob(t, AUDIO + 'en-1.wav')
  const limit = (bytes: string): void => {
    const pid = findInferenceProcess(server.pid)
    if (pid !== undefined) spawnSync('prlimit', ['--pid', String(pid), `--as=${bytes}:unlimited`])
  }
  const timer = setInterval(limit, 5, '1')
  const ended = await client.ended(id)
  clearInterval(timer)
  limit('unlimited')
  t.match(ended, { status: 'failed', failure: { code: 'out_of_memory' } })
  t.equal((await fetch(server.address + '/healthz')).status, 200)
  const next = await client.upload(readFileSync(AUDIO + 'en-1.wav'))
  t.equal((await client.ended(next)).status, 'completed')
})
