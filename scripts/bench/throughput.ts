/** Four recordings of five minutes at once: the running appliance against whisper-cli, which takes one after another. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createKey, startAppliance } from './appliance.ts'
import { createClient } from './client.ts'
import type { Client } from './client.ts'
import { measureOthers } from './load.ts'
import { findMetronomeModel } from './metronome-model.ts'
import { installModel } from './model-directory.ts'
import { STARTER_WEIGHTS } from './paths.ts'
import { convertToWav, findFixture } from './recordings.ts'
import type { Recording } from './recordings.ts'
import { formatPercent, formatSeconds } from './report.ts'
import type { BenchContext, Benchmark, Report, Table } from './report.ts'
import { median } from './statistics.ts'
import { buildWhisperCli, runWhisperCli } from './whisper-cli.ts'
import type { WhisperCliOptions } from './whisper-cli.ts'

const BEAM_SIZE = 5
const COPIES = 4
type Way = 'appliance' | 'whisper-cli' | 'whisper-cli -nt' | 'whisper-cli -p'
type Timed = { seconds: number, othersShare: number }
type Round = Record<Way, Timed>
type Series = { model: string, audioSeconds: number, rounds: Round[] }

/** The plain call first: the one the claim is about. The others show that no switch of whisper-cli changes the picture. */
const THEIR_WAYS: ReadonlyArray<{ name: Exclude<Way, 'appliance'>, options: Pick<WhisperCliOptions, 'threads' | 'processors' | 'timestamps'> }> = [
  { name: 'whisper-cli', options: {} },
  { name: 'whisper-cli -nt', options: { timestamps: 'off' } },
  { name: 'whisper-cli -p', options: { threads: 1, processors: availableParallelism() } }
]
const WAYS: readonly Way[] = ['appliance', ...THEIR_WAYS.map(({ name }) => name)]

export const throughput: Benchmark = {
  name: 'throughput',
  summary: 'audio seconds per second with four recordings at once, against whisper-cli',
  minutes: 25,
  run
}

async function run (context: BenchContext): Promise<Report> {
  const recording = findFixture(context.options.quick ? 'dialogue' : 'talk')
  const series = [
    await measure(context, 'starter', STARTER_WEIGHTS, recording),
    await measure(context, 'base shape', findMetronomeModel('base'), recording)
  ]
  const cores = availableParallelism()
  return {
    result: series.map((one) => `${one.model}: ${ratioOf(one, 'whisper-cli').toFixed(2)} times as fast as whisper-cli`).join('; ') + ' (ratio of medians).',
    tables: [toSummary(series), ...series.map(toTable)],
    notes: [
      `Both: same weights, beam ${BEAM_SIZE}, no text context, language given. whisper-cli: default build, -t ${cores}, all ${COPIES} files in one process, so that it loads the weights once; -nt decodes without time stamps; "-p" is its own splitting of each file, -p ${cores} -t 1.`,
      'The appliance\'s time runs from the first byte uploaded to the last transcript seen complete and includes decoding the MP3; whisper-cli reads WAV made beforehand.',
      '"base shape" has the matrices of Whisper base and says 70 tokens in every window.'
    ],
    figures: {
      cores, copies: COPIES, beamSize: BEAM_SIZE, series,
      ratios: series.map((one) => ({ model: one.model, ...Object.fromEntries(WAYS.map((way) => [way, ratioOf(one, way)])) }))
    }
  }
}

async function measure (context: BenchContext, model: string, weights: string, recording: Recording): Promise<Series> {
  const id = model.replace(' ', '-')
  const wav = await convertToWav(recording.path, join(context.scratch, 'throughput.wav'))
  const program = await buildWhisperCli(context.log)
  const setup = { dataDir: join(context.scratch, `data-${id}`), modelsDir: await installModel(join(context.scratch, `models-${id}`), weights, BEAM_SIZE) }
  const key = await createKey(setup, 'bench')
  const appliance = await startAppliance(setup)
  const cli = { program, weights, wavs: Array<string>(COPIES).fill(wav), scratch: context.scratch, language: recording.language, beamSize: BEAM_SIZE }
  try {
    const client = createClient(appliance.url, key)
    const rounds: Round[] = []
    for (let round = 0; round < (context.options.quick ? 1 : context.options.repeat); round++) {
      const timed: Partial<Round> = { appliance: await time(appliance.pid, () => timeOurs(client, recording)) }
      for (const { name, options } of THEIR_WAYS) timed[name] = await time(appliance.pid, async () => (await runWhisperCli({ ...cli, ...options })).seconds)
      rounds.push(timed as Round)
      context.log(`${model}, round ${round + 1}: ` + WAYS.map((way) => `${way} ${formatSeconds(timed[way]?.seconds ?? NaN)}`).join(', '))
    }
    return { model, audioSeconds: COPIES * recording.seconds, rounds }
  } finally {
    await appliance.stop()
  }
}

async function time (appliancePid: number, work: () => Promise<number>): Promise<Timed> {
  const { result: seconds, othersShare } = await measureOthers([appliancePid], work)
  return { seconds, othersShare }
}

async function timeOurs (client: Client, recording: Recording): Promise<number> {
  const startedMs = performance.now()
  await Promise.all(Array.from({ length: COPIES }, async () => {
    await client.waitFor(await client.submit(recording.path, { language: recording.language }))
  }))
  return (performance.now() - startedMs) / 1000
}

function medianOf ({ rounds }: Series, way: Way): number {
  return median(rounds.map((round) => round[way].seconds))
}

/** How many times as long it takes another way. */
function ratioOf (series: Series, way: Way): number {
  return medianOf(series, way) / medianOf(series, 'appliance')
}

function toSummary (series: readonly Series[]): Table {
  return {
    title: `Audio seconds per second, median of ${series[0]?.rounds.length ?? 0}; in brackets how many times as fast the appliance is`,
    columns: ['model', ...WAYS],
    rows: series.map((one) => [
      one.model,
      ...WAYS.map((way) => (one.audioSeconds / medianOf(one, way)).toFixed(1) + (way === 'appliance' ? '' : ` (${ratioOf(one, way).toFixed(2)})`))
    ])
  }
}

function toTable ({ model, rounds }: Series): Table {
  return {
    title: `${model}: seconds of each round; in brackets what other programs used of the processors meanwhile`,
    columns: ['round', ...WAYS, 'ratio'],
    rows: rounds.map((round, index) => [
      index + 1,
      ...WAYS.map((way) => `${formatSeconds(round[way].seconds)} (${formatPercent(round[way].othersShare)})`),
      (round['whisper-cli'].seconds / round.appliance.seconds).toFixed(2)
    ])
  }
}
