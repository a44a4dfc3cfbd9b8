/** Half an hour of speech, and the same with as much quiet between its sentences: silence should cost nothing. */
import { join } from 'node:path'
import { withAppliance } from '../lib/appliance.ts'
import type { Client } from '../lib/client.ts'
import { chooseModels } from '../lib/models.ts'
import type { BenchModel } from '../lib/models.ts'
import { findCuts, insertQuiet, QUIET_DBFS } from '../lib/pauses.ts'
import { readSamples, writeRecording } from '../../dist/evaluate/machine/ffmpeg.js'
import { findFixture, readSentences } from '../lib/recordings.ts'
import type { Recording } from '../lib/recordings.ts'
import { formatPercent, formatSeconds } from '../../dist/evaluate/report.js'
import type { Table } from '../../dist/evaluate/report.js'
import type { BenchContext, Benchmark, Report } from '../lib/report.ts'
import { medianOf, ratioOf, timeRounds, toRoundTable } from '../../dist/evaluate/rounds.js'
import type { Series } from '../../dist/evaluate/rounds.js'
import { countWordErrors, rateOf, splitWords } from '../../dist/evaluate/text/wer.js'

const BEAM_SIZE = 5
const WAYS = ['speech', 'with silence'] as const
type Way = typeof WAYS[number]
type Recordings = Record<Way, Recording>
type Heard = { words: number, errorRate?: number }
type ModelSeries = Series & { model: string, heard: Record<Way, Heard> }

export const silence: Benchmark = {
  name: 'silence',
  summary: 'half an hour of speech with and without as much silence between its sentences',
  minutes: 10,
  run
}

async function run (context: BenchContext): Promise<Report> {
  const recordings = await makeRecordings(context)
  const series: ModelSeries[] = []
  for (const model of chooseModels(context.options, ['starter', 'base'])) series.push(await measure(context, model, recordings))
  return {
    result: series.map((one) => toSentence(one, recordings)).join('; ') + ' (medians).',
    tables: [toSummary(series, recordings), ...series.map((one) => toRoundTable(one.model, one))],
    notes: [
      `"speech" is the 5-minute talk repeated, ${describe(recordings.speech)}. "with silence" has the same words and as much ` +
        `noise of ${QUIET_DBFS} dBFS between the sentences: each pause is as long as the sentence and the pause before it, ` +
        `${describe(recordings['with silence'])}. Both are FLAC.`,
      `Time from the first byte uploaded to the transcript read; beam ${BEAM_SIZE}, language given.`,
      'A shape says 70 tokens in every window, however little is said in it: its words count windows.'
    ],
    figures: {
      lengthsSeconds: Object.fromEntries(WAYS.map((way) => [way, recordings[way].seconds])),
      series,
      ratios: series.map((one) => ({
        model: one.model,
        time: ratioOf(one, 'with silence'),
        ...Object.fromEntries(WAYS.map((way) => [`secondsPerHour, ${way}`, costOf(one, recordings, way)]))
      }))
    }
  }
}

function toSentence (one: ModelSeries, recordings: Recordings): string {
  const share = costOf(one, recordings, 'with silence') / costOf(one, recordings, 'speech')
  return `${one.model}: with silence it takes ${ratioOf(one, 'with silence').toFixed(2)} times as long (1.00: silence is free), ` +
    `an hour of recording costs ${formatShare(share)} of an hour of speech`
}

async function makeRecordings ({ options, scratch, log }: BenchContext): Promise<Recordings> {
  log('making the recordings …')
  const talk = findFixture('talk')
  const copies = options.quick ? 2 : 6
  const reference = Array<string>(copies).fill(talk.reference).join(' ')
  const samples = await readSamples(talk.path, join(scratch, 'talk.raw'))
  const quieter = insertQuiet(samples, findCuts(readSentences('talk')))
  return {
    speech: {
      ...talk, reference, path: await writeRecording(samples, copies, join(scratch, 'speech.flac')), seconds: copies * talk.seconds
    },
    'with silence': {
      ...talk, reference, path: await writeRecording(quieter, copies, join(scratch, 'silence.flac')), seconds: 2 * copies * talk.seconds
    }
  }
}

async function measure (context: BenchContext, { name, title, findWeights }: BenchModel, recordings: Recordings): Promise<ModelSeries> {
  return await withAppliance(context, { name, weights: findWeights(), beamSize: BEAM_SIZE }, async (client, pid) => {
    const texts: Partial<Record<Way, string>> = {}
    const ways = WAYS.map((way) => ({
      name: way,
      pids: [pid],
      async run () {
        const text = await transcribe(client, recordings[way])
        texts[way] ??= text
        return {}
      }
    }))
    const { options: { quick, repeat }, log } = context
    const series = await timeRounds(title, ways, quick ? 1 : repeat, log)
    const listen = (way: Way): Heard => judge(texts[way] ?? '', name === 'starter' ? recordings[way].reference : undefined)
    return { ...series, model: title, heard: { speech: listen('speech'), 'with silence': listen('with silence') } }
  })
}

async function transcribe (client: Client, { path, language }: Recording): Promise<string> {
  const id = await client.submit(path, { language })
  await client.waitFor(id)
  return (await client.readText(id)).text
}

/** Only what a real model says can be compared with what was said. */
function judge (text: string, reference: string | undefined): Heard {
  const words = splitWords(text).length
  const errorRate = reference === undefined ? undefined : rateOf(countWordErrors(reference, text))
  return { words, ...(errorRate !== undefined && { errorRate }) }
}

/** Seconds per hour of recording. */
function costOf (series: ModelSeries, recordings: Recordings, way: Way): number {
  return 3600 * medianOf(series, way, 'seconds') / recordings[way].seconds
}

function describe ({ seconds }: Recording): string {
  return `${(seconds / 60).toFixed(1)} minutes`
}

function formatShare (share: number): string {
  return `${(100 * share).toFixed(0)} %`
}

function toSummary (series: readonly ModelSeries[], recordings: Recordings): Table {
  const row = (one: ModelSeries, way: Way): Array<string | number> => [
    one.model, way,
    formatSeconds(medianOf(one, way, 'seconds')),
    formatSeconds(medianOf(one, way, 'processorSeconds')),
    formatSeconds(costOf(one, recordings, way)),
    one.heard[way].words, formatPercent(one.heard[way].errorRate)
  ]
  return {
    title: `Median of ${series[0]?.rounds.length ?? 0}`,
    columns: ['model', 'recording', 'time', 'processor time', 'time per hour of recording', 'words', 'word errors'],
    rows: series.flatMap((one) => WAYS.map((way) => row(one, way)))
  }
}
