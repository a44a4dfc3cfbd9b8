/** Four recordings of five minutes at once: the running appliance against whisper-cli, which takes one after another. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { withAppliance } from '../lib/appliance.ts'
import type { Client } from '../lib/client.ts'
import { findMetronomeModel } from '../lib/metronome-model.ts'
import { STARTER_WEIGHTS } from '../lib/paths.ts'
import { convertToWav } from '../../dist/evaluate/machine/ffmpeg.js'
import { findFixture } from '../lib/recordings.ts'
import type { Recording } from '../lib/recordings.ts'
import type { Table } from '../../dist/evaluate/report.js'
import type { BenchContext, Benchmark, Report } from '../lib/report.ts'
import { medianOf, ratioOf, timeRounds, toRoundTable } from '../../dist/evaluate/rounds.js'
import type { Series, Told } from '../../dist/evaluate/rounds.js'
import { buildWhisperCli, runWhisperCli } from '../../dist/evaluate/whisper-cli.js'
import type { WhisperCliOptions } from '../../dist/evaluate/whisper-cli.js'

const BEAM_SIZE = 5
const COPIES = 4
type Way = 'appliance' | 'whisper-cli' | 'whisper-cli -nt' | 'whisper-cli -p'
type ModelSeries = Series & { model: string, audioSeconds: number }

/** The plain call first: the one the claim is about. The others show that no switch of whisper-cli changes the picture. */
const THEIR_WAYS: ReadonlyArray<{
  name: Exclude<Way, 'appliance'>, options: Pick<WhisperCliOptions, 'threads' | 'processors' | 'timestamps'>
}> = [
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
    result: series.map((one) => `${one.model}: ${ratioOf(one, 'whisper-cli').toFixed(2)} times as fast as whisper-cli`).join('; ') +
      ' (ratio of medians).',
    tables: [toSummary(series), ...series.map((one) => toRoundTable(one.model, one))],
    notes: [
      `Both: same weights, beam ${BEAM_SIZE}, no text context, language given. whisper-cli: default build, -t ${cores}, ` +
        `all ${COPIES} files in one process, so that it loads the weights once; -nt decodes without time stamps; ` +
        `"-p" is its own splitting of each file, -p ${cores} -t 1.`,
      'The appliance\'s time runs from the first byte uploaded to the last transcript seen complete and includes decoding the ' +
        'MP3; whisper-cli reads WAV made beforehand.',
      '"base shape" has the matrices of Whisper base and says 70 tokens in every window.'
    ],
    figures: {
      cores, copies: COPIES, beamSize: BEAM_SIZE, series,
      ratios: series.map((one) => ({ model: one.model, ...Object.fromEntries(WAYS.map((way) => [way, ratioOf(one, way)])) }))
    }
  }
}

async function measure (context: BenchContext, model: string, weights: string, recording: Recording): Promise<ModelSeries> {
  const { options, scratch, log } = context
  const wav = await convertToWav(recording.path, join(scratch, 'throughput.wav'))
  const program = await buildWhisperCli(log)
  const { language } = recording
  const cli = { program, weights, wavs: Array<string>(COPIES).fill(wav), scratch, language, beamSize: BEAM_SIZE }
  return await withAppliance(context, { name: model.replace(' ', '-'), weights, beamSize: BEAM_SIZE }, async (client, pid) => {
    const theirs = THEIR_WAYS.map(({ name, options }) => ({ name, pids: [pid], run: () => runTheirs({ ...cli, ...options }) }))
    const ways = [{ name: 'appliance', pids: [pid], run: () => runOurs(client, recording) }, ...theirs]
    const series = await timeRounds(model, ways, options.quick ? 1 : options.repeat, log)
    return { ...series, model, audioSeconds: COPIES * recording.seconds }
  })
}

async function runTheirs (options: WhisperCliOptions): Promise<Told> {
  const { peakBytes } = await runWhisperCli(options)
  return { peakBytes }
}

async function runOurs (client: Client, recording: Recording): Promise<Told> {
  await Promise.all(Array.from({ length: COPIES }, async () => {
    await client.waitFor(await client.submit(recording.path, { language: recording.language }))
  }))
  return {}
}

function toSummary (series: readonly ModelSeries[]): Table {
  return {
    title: `Audio seconds per second, median of ${series[0]?.rounds.length ?? 0}; in brackets how many times as fast the appliance is`,
    columns: ['model', ...WAYS],
    rows: series.map((one) => [
      one.model,
      ...WAYS.map((way) =>
        (one.audioSeconds / medianOf(one, way, 'seconds')).toFixed(1) + (way === 'appliance' ? '' : ` (${ratioOf(one, way).toFixed(2)})`))
    ])
  }
}
