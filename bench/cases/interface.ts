/** What the interface answers in a second: polling, a long transcription, its json export; and what recognising a key costs. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKeyring } from '../../dist/wiring/tools.js'
import { readConfig } from '../../dist/config.js'
import { createKey, startAppliance } from '../../dist/evaluate/appliance.js'
import { BURST_COLUMNS, burstCells, fire } from '../lib/cannon.ts'
import type { Burst } from '../lib/cannon.ts'
import { createClient } from '../lib/client.ts'
import { installModel } from '../lib/model-directory.ts'
import { STARTER_WEIGHTS } from '../lib/paths.ts'
import { waitUntilBusy } from './polling.ts'
import { findFixture, loopRecording } from '../lib/recordings.ts'
import { formatMs } from '../../dist/evaluate/report.js'
import type { BenchContext, Benchmark, Report } from '../lib/report.ts'

const CONNECTIONS = 10
const LANGUAGE = 'en'
const AUTHENTICATIONS = 100_000
const MAX_AUTHENTICATION_MS = 0.2
/** Autocannon's connections take a moment to go. */
const PAUSE_MS = 500

type Row = { name: string, idle: Burst, busy: Burst }

export const interfaceBench: Benchmark = {
  name: 'interface',
  summary: 'requests a second and their times: polling, a transcription of an hour, its json export, with idle and with busy ' +
    'workers; a key recognised',
  minutes: 5,
  run
}

async function run (context: BenchContext): Promise<Report> {
  const { quick } = context.options
  const seconds = quick ? 3 : 10
  const setup = {
    dataDir: join(context.scratch, 'data-interface'),
    modelsDir: await installModel(join(context.scratch, 'models-interface'), STARTER_WEIGHTS, 5)
  }
  const key = await createKey(setup, 'bench')
  const talk = findFixture('talk').path
  const hour = await loopRecording(talk, join(context.scratch, 'interface-hour.mp3'), quick ? 600 : 3600)
  const long = await loopRecording(talk, join(context.scratch, 'interface-long.mp3'), 2 * 3600)
  const appliance = await startAppliance(setup)
  try {
    const client = createClient(appliance.url, key)
    context.log(`transcribing ${quick ? 10 : 60} minutes …`)
    const id = await client.submit(hour, { language: LANGUAGE })
    await client.waitFor(id, { everyMs: 500 })
    const paths = {
      'GET /healthz, no key': '/healthz', polling: `/api/v1/jobs/${id}`,
      transcription: `/api/v1/transcriptions/${id}`, 'json export': `/api/v1/transcriptions/${id}/export?format=json`
    }
    const burst = async (path: string): Promise<Burst> => {
      await sleep(PAUSE_MS)
      return await fire(appliance.url + path, path === '/healthz' ? undefined : key, { seconds, connections: CONNECTIONS })
    }
    const idle = new Map<string, Burst>()
    context.log('idle workers …')
    for (const [name, path] of Object.entries(paths)) idle.set(name, await burst(path))
    const longId = await client.submit(long, { language: LANGUAGE })
    await waitUntilBusy(client, longId)
    context.log('busy workers …')
    const rows: Row[] = []
    for (const [name, path] of Object.entries(paths)) rows.push({ name, idle: idle.get(name) as Burst, busy: await burst(path) })
    if ((await client.findJob(longId)).status !== 'processing') throw new Error('The long recording ended too early for this machine')
    return report(rows, measureAuthentication(setup.dataDir, key))
  } finally {
    await appliance.stop()
  }
}

/** Mean time to recognise a key, on the data of the running appliance. */
function measureAuthentication (dataDir: string, key: string): number {
  const { keys, close } = createKeyring(readConfig({ STENOBOX_DATA_DIR: dataDir }))
  const startedMs = performance.now()
  for (let i = 0; i < AUTHENTICATIONS; i++) if (!keys.authenticate(key)) throw new Error('the key is not known')
  const meanMs = (performance.now() - startedMs) / AUTHENTICATIONS
  close()
  return meanMs
}

function report (rows: readonly Row[], authenticationMs: number): Report {
  const errors = rows.reduce((sum, { idle, busy }) => sum + idle.errors + busy.errors, 0)
  return {
    result: `Recognising a key takes ${(1000 * authenticationMs).toFixed(1)} µs; ${errors} errors.`,
    passed: authenticationMs < MAX_AUTHENTICATION_MS && errors === 0,
    tables: [{
      title: `autocannon, ${CONNECTIONS} connections, as fast as answers come`,
      columns: ['request', 'workers', ...BURST_COLUMNS],
      rows: rows.flatMap(({ name, idle, busy }) => [[name, 'idle', ...burstCells(idle)], [name, 'busy', ...burstCells(busy)]])
    }],
    notes: ['autocannon shares the cores with the server and with the workers. p99 of polling beside busy workers: ' +
      `${formatMs(rows[1]?.busy.p99Ms ?? NaN)}.`],
    figures: { rows, authenticationMs }
  }
}
