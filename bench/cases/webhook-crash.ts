/** Repeats kill -9 while jobs end and webhooks go out: does every receiver get every event at least once, and never as two events? */
import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKey, startAppliance } from '../../dist/evaluate/appliance.js'
import type { Appliance, ApplianceOptions } from '../../dist/evaluate/appliance.js'
import { createClient } from '../lib/client.ts'
import type { JobAnswer } from '../../dist/evaluate/client.js'
import type { Client } from '../lib/client.ts'
import { installModel } from '../lib/model-directory.ts'
import { STARTER_WEIGHTS } from '../lib/paths.ts'
import { createRandom } from '../../dist/evaluate/sounds/random.js'
import { startReceiver } from '../lib/receiver.ts'
import type { Received, Receiver } from '../lib/receiver.ts'
import { cutRecording, findFixture } from '../lib/recordings.ts'
import { formatSeconds } from '../../dist/evaluate/report.js'
import type { BenchContext, Benchmark, Report } from '../lib/report.ts'

const SEED = 1
/** Of the webhooks that jobs name themselves. */
const JOB_SECRET = 'a secret of our own'
/** A life is at most this long after its jobs are submitted: some end in decoding, some while receivers are told, some after. */
const LONGEST_LIFE_MS = 1500
/** How long a life waits for a request to end over. */
const PATIENCE_MS = 10_000
/** Answers are held back so that kills fall between a request and its answer. */
const SLOWEST_ANSWER_MS = 300
const BUSY_SHARE = 0.1
/** Every so manieth job is no recording, and fails. */
const FAILING = 4

type Submitted = { id: number, paths: string[] }
type Told = { event: string, data: { transcriptionId: number, status: string } }
/** The events of one job for one receiver. */
type Hearing = { job: JobAnswer, path: string, heard: Received[] }
type Result = {
  jobs: JobAnswer[]
  hearings: Hearing[]
  forged: number
  strange: number
  requests: number
  kills: number
  wanted: { kills: number, jobs: number }
  seconds: number
}

export const webhookCrash: Benchmark = {
  name: 'webhook-crash',
  summary: 'kill -9 at random moments of jobs with webhooks: every end told at least once, under one id',
  minutes: 8,
  run
}

async function run (context: BenchContext): Promise<Report> {
  const { quick } = context.options
  const wanted = { kills: quick ? 10 : 100, jobs: quick ? 20 : 200 }
  const random = createRandom(SEED)
  const receiver = await startReceiver(() => ({ status: random() < BUSY_SHARE ? 503 : 200, afterMs: random() * SLOWEST_ANSWER_MS }))
  const modelsDir = await installModel(join(context.scratch, 'models-webhook-crash'), STARTER_WEIGHTS, 5)
  const clip = await cutRecording(findFixture('talk').path, join(context.scratch, 'webhook-crash.flac'), 2.6, 3)
  const noRecording = join(context.scratch, 'no-recording.flac')
  writeFileSync(noRecording, 'nothing anybody could hear')
  const setup = {
    dataDir: join(context.scratch, 'data-webhook-crash'),
    modelsDir,
    workers: availableParallelism(),
    settings: { STENOBOX_ALLOW_WEBHOOKS: '127.0.0.1' }
  }
  try {
    return report(await killOften(context, { setup, wanted, random, receiver, clip, noRecording }))
  } finally {
    await receiver.close()
  }
}

type Work = {
  setup: ApplianceOptions, wanted: Result['wanted'], random: () => number, receiver: Receiver, clip: string, noRecording: string
}

/** One life after the other: submits some jobs, then is killed. The last one may finish. */
async function killOften ({ log }: BenchContext, work: Work): Promise<Result> {
  const { setup, wanted, receiver } = work
  const key = await createKey(setup, 'bench')
  const startedMs = performance.now()
  let appliance = await startAppliance(setup)
  const { signingSecret } = await createClient(appliance.url, key).createEndpoint(receiver.url + '/endpoint')
  const submitted: Submitted[] = []
  try {
    for (let kill = 1; kill <= wanted.kills; kill++) {
      await submitUntil(createClient(appliance.url, key), work, submitted, Math.ceil(wanted.jobs * kill / wanted.kills))
      await live(kill, work)
      await appliance.kill()
      log(`kill ${kill}: ${submitted.length} jobs, ${receiver.received.length} requests received`)
      appliance = await startAppliance(setup)
    }
    const jobs = await finish(appliance, key, submitted)
    const secrets = new Map([['/endpoint', signingSecret]])
    const seconds = (performance.now() - startedMs) / 1000
    return { ...judge(jobs, submitted, receiver.received, secrets), kills: wanted.kills, wanted, seconds }
  } finally {
    await appliance.kill()
  }
}

/** Every other life ends at a random moment; the others over a request, before its answer or soon after. */
async function live (number: number, { random, receiver: { received } }: Work): Promise<void> {
  if (number % 2 === 0) return await sleep(random() * LONGEST_LIFE_MS)
  const before = received.length
  for (const startedMs = performance.now(); received.length === before && performance.now() - startedMs < PATIENCE_MS;) await sleep(2)
  await sleep(random() * SLOWEST_ANSWER_MS)
}

/** Every second job also has its own webhook. */
async function submitUntil (client: Client, { receiver, clip, noRecording }: Work, submitted: Submitted[], count: number): Promise<void> {
  while (submitted.length < count) {
    const number = submitted.length
    const own = number % 2 === 0 ? [] : [`/job-${number}`]
    const file = number % FAILING === 0 ? noRecording : clip
    const id = await client.submit(file, {
      language: 'en', ...(own[0] === undefined ? {} : { webhookUrl: receiver.url + own[0], webhookSecret: JOB_SECRET })
    })
    submitted.push({ id, paths: ['/endpoint', ...own] })
  }
}

/** Waits until every job has ended and nothing waits to be told. */
async function finish ({ url }: Appliance, key: string, submitted: readonly Submitted[]): Promise<JobAnswer[]> {
  const client = createClient(url, key)
  const jobs: JobAnswer[] = []
  for (const { id } of submitted) {
    await client.follow(id)
    let job = await client.findJob(id)
    for (; job.webhooks.pending > 0; job = await client.findJob(id)) await sleep(200)
    jobs.push(job)
  }
  return jobs
}

const toldBy = ({ body }: Received): Told => JSON.parse(body) as Told

function judge (
  jobs: readonly JobAnswer[], submitted: readonly Submitted[], received: readonly Received[], secrets: ReadonlyMap<string, string>
) {
  const hearings = submitted.flatMap(({ id, paths }, index) => paths.map((path) => ({
    job: jobs[index] as JobAnswer,
    path,
    heard: received.filter((request) => request.path === path && toldBy(request).data.transcriptionId === id)
  })))
  const known = new Set(hearings.flatMap(({ heard }) => heard))
  const isForged = ({ path, body, headers }: Received): boolean =>
    headers['x-service-signature'] !== createHmac('sha256', secrets.get(path) ?? JOB_SECRET).update(body).digest('hex')
  return {
    jobs: [...jobs],
    hearings,
    requests: received.length,
    forged: received.filter(isForged).length,
    strange: received.filter((request) => !known.has(request)).length
  }
}

const idsOf = ({ heard }: Hearing): Set<string> => new Set(heard.map(({ headers }) => String(headers['webhook-id'])))
const isTold = ({ heard }: Hearing): boolean => heard.some(({ status }) => status === 200)
const isTrue = ({ job, heard }: Hearing): boolean =>
  heard.every((request) => toldBy(request).event === `transcription.${job.status}` && toldBy(request).data.status === job.status)

function report ({ jobs, hearings, forged, strange, requests, kills, wanted, seconds }: Result): Report {
  const taken = hearings.flatMap(({ heard }) => heard.filter(({ status }) => status === 200)).length
  const ids = hearings.flatMap((hearing) => [...idsOf(hearing)])
  const statements = [
    {
      what: 'jobs that ended', found: `${jobs.filter(({ status }) => status === 'completed').length} completed, ` +
      `${jobs.filter(({ status }) => status === 'failed').length} failed`, holds: jobs.length === wanted.jobs
    },
    {
      what: 'ends told to every receiver', found: `${hearings.filter(isTold).length} of ${hearings.length}`, holds: hearings.every(isTold)
    },
    { what: 'each told as it was', found: hearings.filter(isTrue).length, holds: hearings.every(isTrue) },
    {
      what: 'one webhook-id for each end and receiver', found: new Set(ids).size, holds: ids.length === hearings.length &&
      new Set(ids).size === hearings.length
    },
    { what: 'signatures that are wrong; requests about nothing', found: `${forged}; ${strange}`, holds: forged === 0 && strange === 0 },
    {
      what: 'counts of the jobs: delivered, failed', found: `${jobs.reduce((sum, job) => sum + job.webhooks.delivered, 0)}, ` +
      `${jobs.reduce((sum, job) => sum + job.webhooks.failed, 0)}`,
      holds: jobs.reduce((sum, job) => sum + job.webhooks.delivered, 0) === hearings.length
    }
  ]
  return {
    result: `${kills} kills over ${jobs.length} jobs: ${hearings.filter((hearing) => !isTold(hearing)).length} ends missing, ` +
      `${taken - hearings.filter(isTold).length} told more than once.`,
    passed: statements.every(({ holds }) => holds),
    tables: [{
      title: 'What has to hold',
      columns: ['statement', 'found', 'holds'],
      rows: statements.map(({ what, found, holds }) => [what, found, holds ? 'yes' : 'NO'])
    }],
    notes: [
      `Killed with SIGKILL: half of the times at random moments (seeded) up to ${LONGEST_LIFE_MS} ms after jobs were submitted, ` +
        'the other half during or just after a delivery. ' +
        `The receiver delays its answers by up to ${SLOWEST_ANSWER_MS} ms and answers every tenth request 503.`,
      `${requests} requests were received. ${formatSeconds(seconds)} in all.`
    ],
    figures: { kills, jobs: jobs.length, ends: hearings.length, taken, requests, seconds, statements }
  }
}
