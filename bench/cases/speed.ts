/** One long recording, and twenty short ones at once: the running appliance against whisper-cli, with the same weights. */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { withAppliance } from '../lib/appliance.ts'
import type { Client } from '../lib/client.ts'
import { chooseModels } from '../lib/models.ts'
import type { BenchModel } from '../lib/models.ts'
import { convertToWav } from '../../dist/evaluate/machine/ffmpeg.js'
import { findFixture, loopRecording } from '../lib/recordings.ts'
import type { Recording } from '../lib/recordings.ts'
import { formatSeconds } from '../../dist/evaluate/report.js'
import type { Table } from '../../dist/evaluate/report.js'
import type { BenchContext, BenchOptions, Benchmark, Report } from '../lib/report.ts'
import { medianOf, ratioOf, timeRounds, toRoundTable } from '../../dist/evaluate/rounds.js'
import type { Series, Told } from '../../dist/evaluate/rounds.js'
import { splitWords } from '../../dist/evaluate/text/wer.js'
import { buildWhisperCli, runWhisperCli } from '../../dist/evaluate/whisper-cli.js'

const BEAM_SIZE = 5
const CLIPS = ['de-1', 'en-1', 'en-2', 'en-3', 'es-1']
const COPIES = 4
const WAYS = ['appliance', 'whisper-cli', 'whisper-cli per file'] as const
type Way = typeof WAYS[number]
type TheirWay = Exclude<Way, 'appliance'>
/** `wav`: the same for whisper-cli. */
type Sample = Recording & { wav: string }
type Work = { title: string, samples: Sample[], ways: readonly Way[] }
type ModelSeries = Series & { model: string, audioSeconds: number }
type Sides = { client: Client, program: string, weights: string, scratch: string, language: BenchOptions['language'] }

export const speed: Benchmark = {
  name: 'speed',
  summary: 'one hour, and twenty clips at once, against whisper-cli; --minutes N, --model NAME, --language given',
  minutes: 110,
  run
}

async function run (context: BenchContext): Promise<Report> {
  const { options } = context
  const program = await buildWhisperCli(context.log)
  const works = [await prepareLong(context), await prepareClips(context)]
  const series: ModelSeries[] = []
  for (const model of chooseModels(options, ['starter', 'base', 'small'])) series.push(...await measure(context, program, model, works))
  const cores = availableParallelism()
  const given = options.language === 'given'
  return {
    result: series.map(toSentence).join('; ') + ' (ratios of medians).',
    tables: [toSummary(series), toEffort(series), ...series.map((one) => toRoundTable(`${one.model}, ${one.work}`, one))],
    notes: [
      `All: same weights, beam ${BEAM_SIZE}, no text context, language ${given ? 'given' : 'detected (-l auto)'}. whisper-cli: ` +
        `default build, -t ${cores}.`,
      '"whisper-cli" has all recordings of a row in one process, so that it loads the weights ' +
        `once${given ? ' per language: it takes only one' : ''}; "per file" is one process after another, as a script would start them.`,
      'The appliance runs already and has its weights loaded. Its time runs from the first byte uploaded to the last transcript read ' +
        'and includes decoding MP3, M4A, Ogg and FLAC; whisper-cli reads WAV made beforehand.',
      'A shape has the matrices of that size of Whisper; in every window it detects English and emits 70 words of one token each. ' +
        'whisper-cli takes a window every 30 s; the appliance cuts in pauses and skips silence. On a long recording the numbers ' +
        'of windows and words therefore differ a little.'
    ],
    figures: {
      cores, beamSize: BEAM_SIZE, series,
      ratios: series.map((one) =>
        ({ model: one.model, work: one.work, ...Object.fromEntries(one.ways.map((way) => [way, ratioOf(one, way)])) }))
    }
  }
}

async function prepareLong ({ options, scratch, log }: BenchContext): Promise<Work> {
  const minutes = options.minutes ?? (options.quick ? 5 : 60)
  log(`making a recording of ${minutes} minutes …`)
  const talk = findFixture('talk')
  const path = await loopRecording(talk.path, join(scratch, 'long.mp3'), 60 * minutes)
  const wav = await convertToWav(path, join(scratch, 'long.wav'))
  const samples = [{ ...talk, path, wav, seconds: 60 * minutes }]
  return { title: `one file of ${minutes} min`, samples, ways: ['appliance', 'whisper-cli'] }
}

async function prepareClips ({ scratch }: BenchContext): Promise<Work> {
  const clips: Sample[] = []
  for (const name of CLIPS) {
    const clip = findFixture(name)
    clips.push({ ...clip, wav: await convertToWav(clip.path, join(scratch, `${name}.wav`)) })
  }
  const samples = Array.from({ length: COPIES }, () => clips).flat()
  return { title: `${samples.length} files of ${Math.round(secondsOf(samples) / samples.length)} s`, samples, ways: WAYS }
}

async function measure (
  context: BenchContext, program: string, { name, title, findWeights }: BenchModel, works: readonly Work[]
): Promise<ModelSeries[]> {
  const { options, scratch, log } = context
  const weights = findWeights()
  return await withAppliance(context, { name, weights, beamSize: BEAM_SIZE }, async (client, pid) => {
    const sides = { client, program, weights, scratch, language: options.language }
    const series: ModelSeries[] = []
    for (const { title: work, samples, ways } of works) {
      const timed = ways.map((way) =>
        ({ name: way, pids: [pid], run: () => way === 'appliance' ? runOurs(sides, samples) : runTheirs(sides, samples, way) }))
      const rounds = await timeRounds(work, timed, options.quick ? 1 : options.repeat, (line) => log(`${title}, ${line}`))
      series.push({ ...rounds, model: title, audioSeconds: secondsOf(samples) })
    }
    return series
  })
}

async function runOurs ({ client, language }: Sides, samples: readonly Sample[]): Promise<Told> {
  const ids = await Promise.all(
    samples.map((sample) => client.submit(sample.path, language === 'given' ? { language: sample.language } : {}))
  )
  // One after another, so that asking costs little: they are all complete when the last one is.
  for (const id of ids) await client.waitFor(id)
  const texts = await Promise.all(ids.map((id) => client.readText(id)))
  return { words: countWords(texts.map(({ text }) => text)) }
}

async function runTheirs (sides: Sides, samples: readonly Sample[], way: TheirWay): Promise<Told> {
  const { program, weights, scratch } = sides
  const calls = way === 'whisper-cli'
    ? groupByLanguage(sides, samples)
    : samples.map((sample) => ({ language: spokenTo(sides, sample), wavs: [sample.wav] }))
  const texts: string[] = []
  for (const call of calls) texts.push(...(await runWhisperCli({ ...call, program, weights, scratch, beamSize: BEAM_SIZE })).texts)
  return { words: countWords(texts) }
}

/** The language option of whisper-cli. */
function spokenTo ({ language }: Pick<Sides, 'language'>, sample: Sample): string {
  return language === 'given' ? sample.language : 'auto'
}

function groupByLanguage (sides: Sides, samples: readonly Sample[]): Array<{ language: string, wavs: string[] }> {
  const languages = new Set(samples.map((sample) => spokenTo(sides, sample)))
  return Array.from(languages, (language) =>
    ({ language, wavs: samples.filter((sample) => spokenTo(sides, sample) === language).map(({ wav }) => wav) }))
}

function countWords (texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + splitWords(text).length, 0)
}

function secondsOf (samples: readonly Sample[]): number {
  return samples.reduce((sum, { seconds }) => sum + seconds, 0)
}

function toSentence (series: ModelSeries): string {
  const others = series.ways.filter((way) => way !== 'appliance').map((way) => `${ratioOf(series, way).toFixed(2)} times as fast as ${way}`)
  return `${series.model}, ${series.work}: ${others.join(', ')}`
}

function toRow (series: ModelSeries, cell: (way: Way) => string): string[] {
  return [series.model, series.work, ...WAYS.map((way) => series.ways.includes(way) ? cell(way) : '-')]
}

function toSummary (all: readonly ModelSeries[]): Table {
  return {
    title: `Seconds, median of ${all[0]?.rounds.length ?? 0}; in brackets how many times as fast the appliance is`,
    columns: ['model', 'recordings', ...WAYS],
    rows: all.map((series) => toRow(series, (way) =>
      formatSeconds(medianOf(series, way, 'seconds')) + (way === 'appliance' ? '' : ` (${ratioOf(series, way).toFixed(2)})`)))
  }
}

/** Same weights and a like number of words: both sides did the same work. */
function toEffort (all: readonly ModelSeries[]): Table {
  return {
    title: 'Processor seconds, median; in brackets the words written',
    columns: ['model', 'recordings', ...WAYS],
    rows: all.map((series) =>
      toRow(series, (way) => `${formatSeconds(medianOf(series, way, 'processorSeconds'))} (${medianOf(series, way, 'words')})`))
  }
}
