/** Ten thousand events wait for receivers that are dead: what does that cost, and when does a living one hear of a job? */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKey, startAppliance } from '../../dist/evaluate/appliance.js'
import type { Appliance } from '../../dist/evaluate/appliance.js'
import { withDatabase } from '../../test/support/claims.ts'
import { createClient } from '../lib/client.ts'
import type { Client } from '../lib/client.ts'
import { readProcessorSeconds } from '../../dist/evaluate/machine/load.js'
import { installModel } from '../lib/model-directory.ts'
import { STARTER_WEIGHTS } from '../lib/paths.ts'
import { startReceiver } from '../lib/receiver.ts'
import type { Receiver } from '../lib/receiver.ts'
import { cutRecording, findFixture } from '../lib/recordings.ts'
import { formatMs, formatPercent } from '../../dist/evaluate/report.js'
import type { BenchContext, Benchmark, Report } from '../lib/report.ts'
import { largest, median } from '../../dist/evaluate/machine/statistics.js'

const PENDING = 10_000
const MAX_SHARE = 0.05
const MAX_DELAY_MS = 1000
const PATIENCE_MS = 20_000
const LANGUAGE = 'en'

/** A way of being dead: `start` gives the address. */
type Death = { name: string, receivers: number, start: () => Promise<Receiver> }
type Outcome = { name: string, idleShare: number, share: number, requests: number, seconds: number, delays: number[] }

const DEATHS: readonly Death[] = [
  { name: 'refuses connections', receivers: 1, start: startNobody },
  { name: 'never answers', receivers: 1, start: async () => await startReceiver(() => undefined) },
  { name: 'answers 500', receivers: 1, start: async () => await startReceiver(() => ({ status: 500, afterMs: 0 })) },
  { name: '99 that refuse connections', receivers: 99, start: startNobody },
  { name: '99 that never answer', receivers: 99, start: async () => await startReceiver(() => undefined) }
]

export const webhooks: Benchmark = {
  name: 'webhooks',
  summary: `${PENDING} events for dead receivers: what they cost, and whether a living one waits`,
  minutes: 6,
  run
}

/** An address where nobody is. */
async function startNobody (): Promise<Receiver> {
  const receiver = await startReceiver()
  await receiver.close()
  return { ...receiver, close: async () => {} }
}

async function run (context: BenchContext): Promise<Report> {
  const modelsDir = await installModel(join(context.scratch, 'models-webhooks'), STARTER_WEIGHTS, 5)
  const clip = await cutRecording(findFixture('talk').path, join(context.scratch, 'webhooks-clip.flac'), 2.6, 3)
  const outcomes: Outcome[] = []
  for (const [index, death] of DEATHS.entries()) {
    const outcome = await measure(context, death, { dataDir: join(context.scratch, `data-webhooks-${index}`), modelsDir }, clip)
    context.log(`${death.name}: ${formatPercent(outcome.share)} of a core, others hear within ${formatMs(largest(outcome.delays))}`)
    outcomes.push(outcome)
  }
  return report(outcomes)
}

async function measure (
  { options: { quick } }: BenchContext, death: Death, place: { dataDir: string, modelsDir: string }, clip: string
): Promise<Outcome> {
  const setup = { ...place, settings: { STENOBOX_ALLOW_WEBHOOKS: '127.0.0.1' } }
  const key = await createKey(setup, 'bench')
  const [dead, alive] = await Promise.all([death.start(), startReceiver()])
  const appliance = await startAppliance(setup)
  const seconds = quick ? 8 : 30
  try {
    const client = createClient(appliance.url, key)
    await client.waitFor(await client.submit(clip, { language: LANGUAGE }))
    const endpoints: number[] = []
    for (let i = 0; i < death.receivers; i++) endpoints.push((await client.createEndpoint(`${dead.url}/${i}`)).id)
    await client.createEndpoint(alive.url)
    await sleep(1000)
    const idleShare = await measureShare(appliance, quick ? 4 : 10)
    addPending(setup.dataDir, endpoints)
    // The first requests to a receiver of which nothing is known are over.
    await sleep(5000)
    const before = countRequests(setup.dataDir)
    const share = await measureShare(appliance, seconds)
    const requests = countRequests(setup.dataDir) - before
    return { name: death.name, idleShare, share, requests, seconds, delays: await measureDelays(client, alive, clip, quick ? 3 : 10) }
  } finally {
    await appliance.stop()
    await Promise.all([dead.close(), alive.close()])
  }
}

/** Share of one core that the appliance uses. */
async function measureShare ({ pid }: Appliance, seconds: number): Promise<number> {
  const before = readProcessorSeconds(pid)
  const startedMs = performance.now()
  await sleep(seconds * 1000)
  return (readProcessorSeconds(pid) - before) / ((performance.now() - startedMs) / 1000)
}

/** Makes it look as if so many jobs had just ended. */
function addPending (dataDir: string, endpoints: readonly number[]): void {
  withDatabase(dataDir, (db) => {
    const insert = db.prepare(`
      INSERT INTO webhook_delivery (job_id, endpoint_id, event, message_id, body, created_at)
      VALUES (1, :endpointId, 'transcription.completed', 'msg_bench' || :index, '{}', :now)
    `)
    const insertWork = db.prepare(`
      INSERT INTO work (kind, job_id, idx, due_at, turn_key) VALUES ('webhook', 1, :id, :now, 'endpoint ' || :endpointId)
    `)
    const now = Date.now()
    db.transaction(() => {
      for (let index = 0; index < PENDING; index++) {
        const endpointId = endpoints[index % endpoints.length]
        insertWork.run({ id: insert.run({ endpointId, index, now }).lastInsertRowid, endpointId, now })
      }
    })()
  })
}

function countRequests (dataDir: string): number {
  return withDatabase(dataDir, (db) => db.prepare<[], { n: number }>('SELECT count(*) AS n FROM webhook_attempt').get()?.n ?? 0)
}

/** From the end of a job to the arrival of its event, by the one clock of this machine. */
async function measureDelays (client: Client, alive: Receiver, clip: string, count: number): Promise<number[]> {
  const delays: number[] = []
  for (let i = 0; i < count; i++) {
    const id = await client.submit(clip, { language: LANGUAGE })
    await client.waitFor(id)
    delays.push(await waitForEvent(alive, id))
  }
  return delays
}

/** Infinity when it does not come in time. */
async function waitForEvent ({ received }: Receiver, id: number): Promise<number> {
  for (const startedMs = performance.now(); performance.now() - startedMs < PATIENCE_MS;) {
    for (const { body, atMs } of received) {
      const { data } = JSON.parse(body) as { data: { transcriptionId: number, completedAt: string } }
      if (data.transcriptionId === id) return atMs - Date.parse(data.completedAt)
    }
    await sleep(10)
  }
  return Infinity
}

function report (outcomes: readonly Outcome[]): Report {
  const one = outcomes.filter(({ name }) => !/^\d/.test(name))
  const worstShare = largest(one.map(({ share }) => share))
  const worstDelay = largest(outcomes.flatMap(({ delays }) => delays))
  return {
    result: `${PENDING} events for one dead receiver take at most ${formatPercent(worstShare)} of a core; a living one hears ` +
      `of a job within ${formatMs(worstDelay)}.`,
    passed: worstShare < MAX_SHARE && worstDelay < MAX_DELAY_MS,
    tables: [{
      title: `${PENDING} events wait for a receiver that …`,
      columns: ['receiver', 'idle before', 'share of a core', 'requests/s', 'delay of others: median', 'largest'],
      rows: outcomes.map(({ name, idleShare, share, requests, seconds, delays }) => [
        name, formatPercent(idleShare), formatPercent(share),
        (requests / seconds).toFixed(1), formatMs(median(delays)), formatMs(largest(delays))
      ])
    }],
    notes: ['Processor time of the whole process, by /proc. The delay is from completedAt of an event to its arrival at a ' +
      'living receiver of the same owner.'],
    figures: { pending: PENDING, outcomes }
  }
}
