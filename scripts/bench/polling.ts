/** Many clients asking for the state of a job, with idle and with busy workers. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKey, startAppliance } from './appliance.ts'
import { createClient } from './client.ts'
import type { Client } from './client.ts'
import { installModel } from './model-directory.ts'
import { STARTER_WEIGHTS } from './paths.ts'
import { cutRecording, findFixture, loopRecording } from './recordings.ts'
import { formatMs } from './report.ts'
import type { BenchContext, Benchmark, Report } from './report.ts'
import { largest, percentile } from './statistics.ts'

const RATE = 500
const CONNECTIONS = 10
const LANGUAGE = 'en'
type Burst = { requests: number, seconds: number, p50Ms: number, p99Ms: number, maxMs: number, errors: number }
type CannonResult = { duration: number, errors: number, timeouts: number, non2xx: number }
type CannonOptions = { url: string, connections: number, overallRate: number, duration: number, headers: Record<string, string>, ignoreCoordinatedOmission: boolean }
type Cannon = {
  (options: CannonOptions, done: (error: Error | null, result: CannonResult) => void): { on: (event: 'response', listener: (client: unknown, status: number, bytes: number, timeMs: number) => void) => void }
}

export const polling: Benchmark = {
  name: 'polling',
  summary: `GET /api/v1/jobs/{id} ${RATE} times a second, with idle and with busy workers`,
  minutes: 3,
  run
}

async function run (context: BenchContext): Promise<Report> {
  const seconds = context.options.quick ? 5 : 30
  const setup = { dataDir: join(context.scratch, 'data-polling'), modelsDir: await installModel(join(context.scratch, 'models-polling'), STARTER_WEIGHTS, 5) }
  const key = await createKey(setup, 'bench')
  const talk = findFixture('talk').path
  const clip = await cutRecording(talk, join(context.scratch, 'polling-clip.flac'), 2.6, 3)
  const long = await loopRecording(talk, join(context.scratch, 'polling-long.mp3'), 2 * 3600)
  const appliance = await startAppliance(setup)
  try {
    const client = createClient(appliance.url, key)
    const clipId = await client.submit(clip, { language: LANGUAGE })
    await client.waitFor(clipId)
    context.log('idle workers …')
    const idle = await fire(`${appliance.url}/api/v1/jobs/${clipId}`, key, seconds)
    const longId = await client.submit(long, { language: LANGUAGE })
    await waitUntilBusy(client, longId)
    context.log('busy workers …')
    const busy = await fire(`${appliance.url}/api/v1/jobs/${longId}`, key, seconds)
    if ((await client.findJob(longId)).status !== 'processing') throw new Error('The long recording ended too early for this machine')
    return report(idle, busy)
  } finally {
    await appliance.stop()
  }
}

async function waitUntilBusy (client: Client, id: number): Promise<void> {
  while ((await client.findJob(id)).progress === 0) await sleep(100)
}

function fire (url: string, key: string, seconds: number): Promise<Burst> {
  const cannon = createRequire(import.meta.url)('autocannon') as Cannon
  const times: number[] = []
  return new Promise((resolve, reject) => {
    const options = { url, connections: CONNECTIONS, overallRate: RATE, duration: seconds, headers: { authorization: `Bearer ${key}` }, ignoreCoordinatedOmission: true }
    const running = cannon(options, (error, result) => {
      if (error) return reject(error)
      resolve({
        requests: times.length, seconds: result.duration,
        p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99), maxMs: largest(times),
        // Its `errors` hold the time-outs as well.
        errors: result.errors + result.non2xx
      })
    })
    // Its own histogram counts whole milliseconds.
    running.on('response', (_client, _status, _bytes, timeMs) => times.push(timeMs))
  })
}

function report (idle: Burst, busy: Burst): Report {
  const row = (name: string, burst: Burst): Array<string | number> => [
    name, burst.requests, (burst.requests / burst.seconds).toFixed(0), formatMs(burst.p50Ms), formatMs(burst.p99Ms), formatMs(burst.maxMs), burst.errors
  ]
  return {
    result: `With every worker busy, p99 is ${formatMs(busy.p99Ms)} at ${(busy.requests / busy.seconds).toFixed(0)} requests/s (idle: ${formatMs(idle.p99Ms)}), ${busy.errors} errors.`,
    tables: [{ title: `autocannon, ${RATE} requests/s over ${CONNECTIONS} connections`, columns: ['workers', 'requests', 'per second', 'p50', 'p99', 'max', 'errors'], rows: [row('idle', idle), row('busy', busy)] }],
    notes: ['autocannon sends each second\'s requests as fast as it gets answers, from its beginning on: bursts, harder than an even flow. It shares the cores with the server.'],
    figures: { rate: RATE, connections: CONNECTIONS, idle, busy }
  }
}
