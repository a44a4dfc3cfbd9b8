/** Word errors of the appliance and of whisper-cli: same weights, same beam, every fixture. */
import { join } from 'node:path'
import { withAppliance } from '../lib/appliance.ts'
import { STARTER_WEIGHTS } from '../lib/paths.ts'
import { convertToWav } from '../../dist/evaluate/machine/ffmpeg.js'
import { listFixtures } from '../lib/recordings.ts'
import type { Recording } from '../lib/recordings.ts'
import { formatPercent } from '../../dist/evaluate/report.js'
import type { Table } from '../../dist/evaluate/report.js'
import type { BenchContext, Benchmark, Report } from '../lib/report.ts'
import { countWordErrors, rateOf, sumWordErrors } from '../../dist/evaluate/text/wer.js'
import type { WordErrors } from '../../dist/evaluate/text/wer.js'
import { buildWhisperCli, runWhisperCli } from '../../dist/evaluate/whisper-cli.js'

const BEAM_SIZE = 5
type Mode = 'given' | 'detected'
type Way = 'appliance' | 'whisper-cli' | 'whisper-cli -nt'
type Transcript = { text: string, language: string }
type Score = { name: string, language: string, errors: Record<Way, WordErrors> }

const WAYS: readonly Way[] = ['appliance', 'whisper-cli', 'whisper-cli -nt']

export const accuracy: Benchmark = {
  name: 'accuracy',
  summary: 'word error rate on the test fixtures, against whisper-cli with the same weights',
  minutes: 4,
  run
}

async function run (context: BenchContext): Promise<Report> {
  const fixtures = listFixtures()
  const given = await compare(context, fixtures, 'given')
  const detected = await compare(context, fixtures, 'detected')
  const points = (scores: readonly Score[], way: Way): string => (100 * (rateOver(scores, 'appliance') - rateOver(scores, way))).toFixed(1)
  const sentence = (scores: readonly Score[]): string =>
    `${points(scores, 'whisper-cli')} points (${points(scores, 'whisper-cli -nt')} from -nt)`
  return {
    result: `Word error rate over all words: appliance minus whisper-cli is ${sentence(given)} with the language given, ` +
      `${sentence(detected)} with it detected. Below 0: the appliance is better.`,
    tables: [toTable('Language given', given), toTable('Language detected', detected)],
    notes: [
      `All: starter weights, beam ${BEAM_SIZE}, no text context. whisper-cli reads files converted to 16 kHz WAV beforehand; ` +
        '-nt is its decoding without time stamps.',
      'Lower case, without punctuation. S/D/I: words replaced, missed, invented.'
    ],
    figures: {
      given, detected,
      rates: Object.fromEntries(WAYS.map((way) => [way, { given: rateOver(given, way), detected: rateOver(detected, way) }]))
    }
  }
}

async function compare (context: BenchContext, fixtures: readonly Recording[], mode: Mode): Promise<Score[]> {
  const ours = await transcribeOurs(context, fixtures, mode)
  const theirs = await transcribeTheirs(context, fixtures, mode, 'on')
  const theirsPlain = await transcribeTheirs(context, fixtures, mode, 'off')
  return fixtures.map(({ name, reference }, index) => ({
    name,
    language: ours[index]?.language ?? '',
    errors: {
      appliance: countWordErrors(reference, ours[index]?.text ?? ''),
      'whisper-cli': countWordErrors(reference, theirs[index] ?? ''),
      'whisper-cli -nt': countWordErrors(reference, theirsPlain[index] ?? '')
    }
  }))
}

async function transcribeOurs (context: BenchContext, fixtures: readonly Recording[], mode: Mode): Promise<Transcript[]> {
  context.log(`appliance, language ${mode} …`)
  return await withAppliance(context, { name: mode, weights: STARTER_WEIGHTS, beamSize: BEAM_SIZE }, async (client) => {
    const ids: number[] = []
    for (const { path, language } of fixtures) ids.push(await client.submit(path, mode === 'given' ? { language } : {}))
    for (const id of ids) await client.waitFor(id)
    return await Promise.all(ids.map((id) => client.readText(id)))
  })
}

async function transcribeTheirs (
  context: BenchContext, fixtures: readonly Recording[], mode: Mode, timestamps: 'on' | 'off'
): Promise<string[]> {
  const program = await buildWhisperCli(context.log)
  context.log(`whisper-cli, language ${mode}, time stamps ${timestamps} …`)
  const texts: string[] = []
  for (const { name, path, language } of fixtures) {
    const wav = await convertToWav(path, join(context.scratch, `${name}.wav`))
    const spoken = mode === 'given' ? language : 'auto'
    const run = await runWhisperCli({
      program, weights: STARTER_WEIGHTS, wavs: [wav], scratch: context.scratch, language: spoken, beamSize: BEAM_SIZE, timestamps
    })
    texts.push(run.texts[0] ?? '')
  }
  return texts
}

function toTable (title: string, scores: readonly Score[]): Table {
  const row = (name: string, language: string, errors: Record<Way, WordErrors>): Array<string | number> => [
    name, errors.appliance.words, language,
    ...WAYS.flatMap((way) => [formatPercent(rateOf(errors[way])), editsOf(errors[way])])
  ]
  const all = Object.fromEntries(WAYS.map((way) => [way, sumOf(scores, way)])) as Record<Way, WordErrors>
  return {
    title,
    columns: ['file', 'words', 'language', ...WAYS.flatMap((way) => [way, 'S/D/I'])],
    rows: [...scores.map(({ name, language, errors }) => row(name, language, errors)), row('all', '', all)]
  }
}

function editsOf ({ substitutions, deletions, insertions }: WordErrors): string {
  return `${substitutions}/${deletions}/${insertions}`
}

function sumOf (scores: readonly Score[], way: Way): WordErrors {
  return sumWordErrors(scores.map(({ errors }) => errors[way]))
}

function rateOver (scores: readonly Score[], way: Way): number {
  return rateOf(sumOf(scores, way)) ?? 0
}
