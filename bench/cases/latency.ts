/** A clip of three seconds that arrives while a recording of an hour is being transcribed. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKey, startAppliance } from '../../dist/evaluate/appliance.js'
import { createClient } from '../lib/client.ts'
import type { Client } from '../lib/client.ts'
import { findMetronomeModel } from '../lib/metronome-model.ts'
import { installModel } from '../lib/model-directory.ts'
import { STARTER_WEIGHTS } from '../lib/paths.ts'
import { createRandom } from '../../dist/evaluate/sounds/random.js'
import { cutRecording, findFixture, loopRecording } from '../lib/recordings.ts'
import { formatMs } from '../../dist/evaluate/report.js'
import type { Table } from '../../dist/evaluate/report.js'
import type { BenchContext, Benchmark, Report } from '../lib/report.ts'
import { largest, median } from '../../dist/evaluate/machine/statistics.js'

const BEAM_SIZE = 5
const LANGUAGE = 'en'
/** Progress steps from which the time of a window is taken, before the first clip and again after the last. */
const STEPS = 8
/** What a clip may take, in times of one window: wait for a free thread, own window, and as much again for upload and decoding. */
const BOUND_WINDOWS = 3
type Recordings = { long: string, clip: string }
type Moment = { otherMs: number, sameMs: number }
type Series = { model: string, windowMs: number, beforeMs: number, afterMs: number, moments: Moment[] }

export const latency: Benchmark = {
  name: 'latency',
  summary: 'time to a 3-second clip\'s transcript while an hour is being transcribed',
  minutes: 10,
  run
}

async function run (context: BenchContext): Promise<Report> {
  const talk = findFixture('talk')
  const recordings = {
    long: await loopRecording(talk.path, join(context.scratch, 'long.mp3'), context.options.quick ? 1500 : 3600),
    clip: await cutRecording(talk.path, join(context.scratch, 'clip.flac'), 2.6, 3)
  }
  const series = [
    await measure(context, 'starter', STARTER_WEIGHTS, recordings),
    await measure(context, 'base shape', findMetronomeModel('base'), recordings)
  ]
  const worst = largest(series.map(worstOf))
  return {
    result: `The slowest clip took ${worst.toFixed(2)} times the time of one window (at most ${BOUND_WINDOWS}).`,
    passed: worst <= BOUND_WINDOWS,
    tables: series.map(toTable),
    notes: [
      `All ${availableParallelism()} workers are busy with the long recording, which belongs to owner "same". Time from the ` +
        `first byte uploaded to the answer that says completed, asked for every 20 ms; language given, beam ${BEAM_SIZE}.`,
      `The time of one window is ${availableParallelism()} workers times the mean interval between ${STEPS} steps of the long ` +
        'job\'s progress, taken before the first clip and after the last.'
    ],
    figures: { series, worstInWindows: worst }
  }
}

async function measure (context: BenchContext, model: string, weights: string, recordings: Recordings): Promise<Series> {
  const id = model.replace(' ', '-')
  const workers = availableParallelism()
  const setup = {
    dataDir: join(context.scratch, `data-${id}`),
    modelsDir: await installModel(join(context.scratch, `models-${id}`), weights, BEAM_SIZE),
    workers
  }
  const keys = { same: await createKey(setup, 'same'), other: await createKey(setup, 'other') }
  const appliance = await startAppliance(setup)
  try {
    const same = createClient(appliance.url, keys.same)
    const other = createClient(appliance.url, keys.other)
    const longId = await same.submit(recordings.long, { language: LANGUAGE })
    const beforeMs = workers * await timeSteps(same, longId)
    const moments: Moment[] = []
    const random = createRandom(1)
    for (let moment = 0; moment < (context.options.quick ? 2 : 5); moment++) {
      await sleep(beforeMs * (0.5 + random()))
      const otherMs = await timeClip(other, recordings.clip)
      await sleep(beforeMs * (0.5 + random()))
      const sameMs = await timeClip(same, recordings.clip)
      moments.push({ otherMs, sameMs })
      context.log(`${model}, moment ${moment + 1}: another owner ${formatMs(otherMs)}, same owner ${formatMs(sameMs)}`)
    }
    // Throws when the long recording has ended: then the clips did not all meet it.
    const afterMs = workers * await timeSteps(same, longId)
    return { model, windowMs: (beforeMs + afterMs) / 2, beforeMs, afterMs, moments }
  } finally {
    await appliance.stop()
  }
}

/** Mean time between two steps of a job's progress: a step is one window that got done. */
async function timeSteps (client: Client, id: number): Promise<number> {
  const steps: number[] = []
  for (let progress = (await client.findJob(id)).progress; steps.length <= STEPS; await sleep(10)) {
    const job = await client.findJob(id)
    if (job.status === 'completed' || job.status === 'failed') throw new Error(`The long recording ended early: ${job.status}`)
    if (job.progress > progress) steps.push(performance.now())
    progress = job.progress
  }
  return ((steps.at(-1) as number) - (steps[0] as number)) / STEPS
}

async function timeClip (client: Client, clip: string): Promise<number> {
  const startedMs = performance.now()
  await client.waitFor(await client.submit(clip, { language: LANGUAGE }), { everyMs: 20 })
  return performance.now() - startedMs
}

function worstOf ({ windowMs, moments }: Series): number {
  return largest(moments.flatMap(({ otherMs, sameMs }) => [otherMs, sameMs])) / windowMs
}

function toTable (series: Series): Table {
  const { model, windowMs, beforeMs, afterMs, moments } = series
  const row = (name: string, times: readonly number[]): Array<string | number> => {
    const [middleMs, worstMs] = [median(times), largest(times)]
    return [name, times.length, formatMs(middleMs), formatMs(worstMs), (middleMs / windowMs).toFixed(2), (worstMs / windowMs).toFixed(2)]
  }
  return {
    title: `${model}: one window takes ${formatMs(windowMs)} (before the clips ${formatMs(beforeMs)}, after them ${formatMs(afterMs)})`,
    columns: ['clip of', 'moments', 'median', 'largest', 'median in windows', 'largest in windows'],
    rows: [row('another owner', moments.map(({ otherMs }) => otherMs)), row('the same owner', moments.map(({ sameMs }) => sameMs))]
  }
}
