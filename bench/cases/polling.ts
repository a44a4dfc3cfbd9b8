/** Many clients asking for the state of a job, with idle and with busy workers. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKey, startAppliance } from '../../dist/evaluate/appliance.js'
import { BURST_COLUMNS, burstCells, fire } from '../lib/cannon.ts'
import type { Burst } from '../lib/cannon.ts'
import { createClient } from '../lib/client.ts'
import type { Client } from '../lib/client.ts'
import { installModel } from '../lib/model-directory.ts'
import { STARTER_WEIGHTS } from '../lib/paths.ts'
import { cutRecording, findFixture, loopRecording } from '../lib/recordings.ts'
import { formatMs } from '../../dist/evaluate/report.js'
import type { BenchContext, Benchmark, Report } from '../lib/report.ts'

const RATE = 500
const CONNECTIONS = 10
const LANGUAGE = 'en'
export const polling: Benchmark = {
  name: 'polling',
  summary: `GET /api/v1/jobs/{id} ${RATE} times a second, with idle and with busy workers`,
  minutes: 3,
  run
}

async function run (context: BenchContext): Promise<Report> {
  const seconds = context.options.quick ? 5 : 30
  const setup = {
    dataDir: join(context.scratch, 'data-polling'),
    modelsDir: await installModel(join(context.scratch, 'models-polling'), STARTER_WEIGHTS, 5)
  }
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
    const idle = await fire(`${appliance.url}/api/v1/jobs/${clipId}`, key, { seconds, connections: CONNECTIONS, rate: RATE })
    const longId = await client.submit(long, { language: LANGUAGE })
    await waitUntilBusy(client, longId)
    context.log('busy workers …')
    const busy = await fire(`${appliance.url}/api/v1/jobs/${longId}`, key, { seconds, connections: CONNECTIONS, rate: RATE })
    if ((await client.findJob(longId)).status !== 'processing') throw new Error('The long recording ended too early for this machine')
    return report(idle, busy)
  } finally {
    await appliance.stop()
  }
}

export async function waitUntilBusy (client: Client, id: number): Promise<void> {
  while ((await client.findJob(id)).progress === 0) await sleep(100)
}

function report (idle: Burst, busy: Burst): Report {
  return {
    result: `With every worker busy, p99 is ${formatMs(busy.p99Ms)} at ${(busy.requests / busy.seconds).toFixed(0)} requests/s ` +
      `(idle: ${formatMs(idle.p99Ms)}), ${busy.errors} errors.`,
    tables: [{
      title: `autocannon, ${RATE} requests/s over ${CONNECTIONS} connections`,
      columns: ['workers', ...BURST_COLUMNS],
      rows: [['idle', ...burstCells(idle)], ['busy', ...burstCells(busy)]]
    }],
    notes: [
      'At the start of each second autocannon sends that second\'s requests as fast as they are answered: bursts, harder than ' +
        'an even flow. It shares the cores with the server.'
    ],
    figures: { rate: RATE, connections: CONNECTIONS, idle, busy }
  }
}
