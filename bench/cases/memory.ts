/** What the server keeps in memory: with busy workers, and as recordings get longer. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKey, startAppliance } from '../../dist/evaluate/appliance.js'
import { createClient } from '../lib/client.ts'
import type { JobAnswer } from '../../dist/evaluate/client.js'
import { readMemory } from '../../dist/evaluate/machine/load.js'
import { findMetronomeModel } from '../lib/metronome-model.ts'
import { installModel } from '../lib/model-directory.ts'
import { ROOT } from '../../dist/evaluate/machine/paths.js'
import { STARTER_WEIGHTS } from '../lib/paths.ts'
import { runProgram } from '../../dist/evaluate/machine/programs.js'
import { convertToWav } from '../../dist/evaluate/machine/ffmpeg.js'
import { findFixture, loopRecording } from '../lib/recordings.ts'
import { formatBytes } from '../../dist/evaluate/report.js'
import type { Table } from '../../dist/evaluate/report.js'
import type { BenchContext, Benchmark, Report } from '../lib/report.ts'
import { median } from '../../dist/evaluate/machine/statistics.js'

const BEAM_SIZE = 5
const WORKERS = 2
const LANGUAGE = 'en'
const BASE_ALLOWANCE_BYTES = 300e6
/** `thirdsBytes`: medians of the first, second and last third of the recording, to tell a plateau from a slope. */
type Load = { idleBytes: number, medianBytes: number, thirdsBytes: number[], peakBytes: number }
type States = { loadedBytes: number, oneStateBytes: number, twoStatesBytes: number }

export const memory: Benchmark = {
  name: 'memory',
  summary: 'resident memory of the busy server, and its growth with the length of the recording',
  minutes: 12,
  run
}

async function run (context: BenchContext): Promise<Report> {
  const { quick } = context.options
  const talk = findFixture('talk').path
  const longSeconds = quick ? 1800 : 3 * 3600
  const base = findMetronomeModel('base')
  const states = await measureStates(context, base, talk)
  const busy = await measureLoad(context, 'busy', base, await loopRecording(talk, join(context.scratch, 'busy.mp3'), quick ? 120 : 600))
  const short = await measureLoad(context, 'short', STARTER_WEIGHTS, await loopRecording(talk, join(context.scratch, 'short.mp3'), 300))
  const long = await measureLoad(
    context, 'long', STARTER_WEIGHTS, await loopRecording(talk, join(context.scratch, 'long.mp3'), longSeconds)
  )
  const weightsBytes = statSync(base).size
  const statesBytes = states.twoStatesBytes - states.loadedBytes
  const boundBytes = weightsBytes + BASE_ALLOWANCE_BYTES + statesBytes
  const growthBytes = long.peakBytes - short.peakBytes
  return {
    result: `Busy with base shape and ${WORKERS} workers the server peaks at ${formatBytes(busy.peakBytes)} of ` +
      `${formatBytes(boundBytes)} allowed (weights + 300 MB + two states); ` +
      `${longSeconds / 3600} h need ${formatBytes(growthBytes)} more at the peak than 5 minutes.`,
    passed: busy.peakBytes <= boundBytes,
    tables: [toBudget(weightsBytes, states, busy, boundBytes), toGrowth(short, long, longSeconds)],
    notes: [
      'Resident memory (VmRSS, peak VmHWM) of the server process, without ffmpeg, which runs in a separate process. ' +
        'Each row is a fresh server.',
      'States are measured in a process that holds only the addon: after loading, after one and after a second state has run ' +
        `a window with beam ${BEAM_SIZE}.`
    ],
    figures: { weightsBytes, states, busy, boundBytes, short, long, longSeconds, growthBytes }
  }
}

async function measureStates (context: BenchContext, weights: string, source: string): Promise<States> {
  const wav = await convertToWav(source, join(context.scratch, 'state.wav'))
  const run = await runProgram(process.execPath, [join(ROOT, 'bench/lib/memory-child.ts'), weights, wav, String(BEAM_SIZE), LANGUAGE])
  return JSON.parse(run.stdout) as States
}

/** Memory of a fresh server before and while it transcribes one recording. */
async function measureLoad (context: BenchContext, name: string, weights: string, recording: string): Promise<Load> {
  context.log(`${name}: transcribing …`)
  const setup = {
    dataDir: join(context.scratch, `data-${name}`),
    modelsDir: await installModel(join(context.scratch, `models-${name}`), weights, BEAM_SIZE),
    workers: WORKERS
  }
  const key = await createKey(setup, 'bench')
  const appliance = await startAppliance(setup)
  try {
    await sleep(1000)
    const idleBytes = readMemory(appliance.pid).residentBytes
    const client = createClient(appliance.url, key)
    const samples: Array<{ progress: number, bytes: number }> = []
    const onAnswer = ({ progress }: JobAnswer): void => { samples.push({ progress, bytes: readMemory(appliance.pid).residentBytes }) }
    await client.waitFor(await client.submit(recording, { language: LANGUAGE }), { everyMs: 200, onAnswer })
    const thirdsBytes = [0, 1, 2].map((third) =>
      median(samples.filter(({ progress }) => Math.min(2, Math.floor(3 * progress / 100)) === third).map(({ bytes }) => bytes)))
    return {
      idleBytes, medianBytes: median(samples.map(({ bytes }) => bytes)), thirdsBytes, peakBytes: readMemory(appliance.pid).peakBytes
    }
  } finally {
    await appliance.stop()
  }
}

function toBudget (weightsBytes: number, states: States, busy: Load, boundBytes: number): Table {
  const row = (name: string, bytes: number): [string, string] => [name, formatBytes(bytes)]
  return {
    title: `Base shape, ${WORKERS} workers`,
    columns: ['part', 'memory'],
    rows: [
      row('weights file', weightsBytes),
      row('first state, after a window', states.oneStateBytes - states.loadedBytes),
      row('second state, after a window', states.twoStatesBytes - states.oneStateBytes),
      row('allowed: weights + 300 MB + states', boundBytes),
      row('server ready, idle', busy.idleBytes),
      row('server busy, median', busy.medianBytes),
      row('server busy, peak', busy.peakBytes)
    ]
  }
}

function toGrowth (short: Load, long: Load, longSeconds: number): Table {
  const row = (name: string, load: Load): string[] =>
    [name, formatBytes(load.idleBytes), ...load.thirdsBytes.map(formatBytes), formatBytes(load.peakBytes)]
  return {
    title: 'Starter weights, one recording',
    columns: ['length', 'idle', 'first third', 'second', 'last', 'peak'],
    rows: [row('5 minutes', short), row(`${longSeconds / 3600} hours`, long)]
  }
}
