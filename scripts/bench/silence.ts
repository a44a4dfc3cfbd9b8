/** Half an hour of speech, and the same with as much quiet between its sentences: silence should cost nothing. */
import { join } from 'node:path'
import { withAppliance } from './appliance.ts'
import type { Client } from './client.ts'
import { measureOthers } from './load.ts'
import type { Measured } from './load.ts'
import { chooseModels } from './models.ts'
import type { BenchModel } from './models.ts'
import { findCuts, insertQuiet, QUIET_DBFS } from './pauses.ts'
import { findFixture, readSamples, readSentences, writeRecording } from './recordings.ts'
import type { Recording } from './recordings.ts'
import { formatPercent, formatSeconds } from './report.ts'
import type { BenchContext, Benchmark, Report, Table } from './report.ts'
import { median } from './statistics.ts'
import { countWordErrors, rateOf, splitWords } from './wer.ts'

const BEAM_SIZE = 5
const WAYS = ['speech', 'with silence'] as const
type Way = typeof WAYS[number]
type Recordings = Record<Way, Recording>
type Round = Record<Way, Measured>
type Heard = { words: number, errorRate?: number }
type Series = { model: string, rounds: Round[], heard: Record<Way, Heard> }

export const silence: Benchmark = {
  name: 'silence',
  summary: 'half an hour of speech with and without as much silence between its sentences',
  minutes: 10,
  run
}

async function run (context: BenchContext): Promise<Report> {
  const recordings = await makeRecordings(context)
  const series: Series[] = []
  for (const model of chooseModels(context.options, ['starter', 'base'])) series.push(await measure(context, model, recordings))
  return {
    result: series.map((one) => `${one.model}: with silence it takes ${ratioOf(one).toFixed(2)} times as long (1.00: silence is free), an hour of recording costs ${formatShare(costOf(one, recordings, 'with silence') / costOf(one, recordings, 'speech'))} of an hour of speech`).join('; ') + ' (medians).',
    tables: [toSummary(series, recordings), ...series.map(toTable)],
    notes: [
      `"speech" is the 5-minute talk over and over, ${describe(recordings.speech)}. "with silence" is the same words with as much noise of ${QUIET_DBFS} dBFS put between the sentences, each pause as long as the sentence and its own pause before it: ${describe(recordings['with silence'])}. Both are FLAC.`,
      `Time from the first byte uploaded to the transcript seen complete; beam ${BEAM_SIZE}, language given.`,
      'A shape says 70 tokens in every window, however little is said in it: its words count windows.'
    ],
    figures: {
      lengthsSeconds: Object.fromEntries(WAYS.map((way) => [way, recordings[way].seconds])),
      series,
      ratios: series.map((one) => ({ model: one.model, time: ratioOf(one), ...Object.fromEntries(WAYS.map((way) => [`secondsPerHour, ${way}`, costOf(one, recordings, way)])) }))
    }
  }
}

async function makeRecordings ({ options, scratch, log }: BenchContext): Promise<Recordings> {
  log('making the recordings …')
  const talk = findFixture('talk')
  const copies = options.quick ? 2 : 6
  const reference = Array<string>(copies).fill(talk.reference).join(' ')
  const samples = await readSamples(talk.path, join(scratch, 'talk.raw'))
  const quieter = insertQuiet(samples, findCuts(readSentences('talk')))
  return {
    speech: { ...talk, reference, path: await writeRecording(samples, copies, join(scratch, 'speech.flac')), seconds: copies * talk.seconds },
    'with silence': { ...talk, reference, path: await writeRecording(quieter, copies, join(scratch, 'silence.flac')), seconds: 2 * copies * talk.seconds }
  }
}

async function measure (context: BenchContext, { name, title, findWeights }: BenchModel, recordings: Recordings): Promise<Series> {
  return await withAppliance(context, { name, weights: findWeights(), beamSize: BEAM_SIZE }, async (client, pid) => {
    const rounds: Round[] = []
    const texts: Partial<Record<Way, string>> = {}
    for (let round = 0; round < (context.options.quick ? 1 : context.options.repeat); round++) {
      const measured: Partial<Round> = {}
      for (const way of WAYS) {
        const { result: id, ...rest } = await measureOthers([pid], () => transcribe(client, recordings[way]))
        measured[way] = rest
        texts[way] ??= (await client.readText(id)).text
      }
      rounds.push(measured as Round)
      context.log(`${title}, round ${round + 1}: ` + WAYS.map((way) => `${way} ${formatSeconds(measured[way]?.seconds ?? NaN)}`).join(', '))
    }
    const listen = (way: Way): Heard => judge(texts[way] ?? '', name === 'starter' ? recordings[way].reference : undefined)
    return { model: title, rounds, heard: { speech: listen('speech'), 'with silence': listen('with silence') } }
  })
}

async function transcribe (client: Client, { path, language }: Recording): Promise<number> {
  const id = await client.submit(path, { language })
  await client.waitFor(id)
  return id
}

/** Only what a real model says can be compared with what was said. */
function judge (text: string, reference: string | undefined): Heard {
  const words = splitWords(text).length
  const errorRate = reference === undefined ? undefined : rateOf(countWordErrors(reference, text))
  return { words, ...(errorRate !== undefined && { errorRate }) }
}

function medianOf ({ rounds }: Series, way: Way): number {
  return median(rounds.map((round) => round[way].seconds))
}

function ratioOf (series: Series): number {
  return medianOf(series, 'with silence') / medianOf(series, 'speech')
}

/** Seconds per hour of recording. */
function costOf (series: Series, recordings: Recordings, way: Way): number {
  return 3600 * medianOf(series, way) / recordings[way].seconds
}

function describe ({ seconds }: Recording): string {
  return `${(seconds / 60).toFixed(1)} minutes`
}

function formatShare (share: number): string {
  return `${(100 * share).toFixed(0)} %`
}

function toSummary (series: readonly Series[], recordings: Recordings): Table {
  const row = (one: Series, way: Way): Array<string | number> => [
    one.model, way,
    formatSeconds(medianOf(one, way)),
    formatSeconds(median(one.rounds.map((round) => round[way].processorSeconds))),
    formatSeconds(costOf(one, recordings, way)),
    one.heard[way].words, formatPercent(one.heard[way].errorRate)
  ]
  return {
    title: `Median of ${series[0]?.rounds.length ?? 0}`,
    columns: ['model', 'recording', 'time', 'processor time', 'time per hour of recording', 'words', 'word errors'],
    rows: series.flatMap((one) => WAYS.map((way) => row(one, way)))
  }
}

function toTable ({ model, rounds }: Series): Table {
  return {
    title: `${model}: seconds of each round; in brackets what other programs used of the processors meanwhile`,
    columns: ['round', ...WAYS, 'ratio'],
    rows: rounds.map((round, index) => [
      index + 1,
      ...WAYS.map((way) => `${formatSeconds(round[way].seconds)} (${formatPercent(round[way].othersShare)})`),
      (round['with silence'].seconds / round.speech.seconds).toFixed(2)
    ])
  }
}
