/** The evaluation of accuracy: `npx stenobox evaluate FOLDER`, or `node scripts/evaluate/index.ts FOLDER`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { warnOfOthers } from '../bench/load.ts'
import { ROOT, createScratch } from '../bench/paths.ts'
import { runProgram } from '../bench/programs.ts'
import { describeMachine } from '../bench/report.ts'
import { UsageError, USAGE, parseCommandLine } from './command-line.ts'
import type { EvaluateOptions } from './command-line.ts'
import { listRecordings } from './folder.ts'
import type { Listing } from './folder.ts'
import { README_END, README_START, renderEvaluation, renderSummary, replaceSection } from './markdown.ts'
import type { Evaluation } from './markdown.ts'
import { measureAll } from './measure.ts'
import { findSclite } from './sclite.ts'
import type { Sclite } from './sclite.ts'
import { sumScores } from './score.ts'
import { synthesiseFolder } from './synthesis.ts'
import { chooseModel } from './transcribe.ts'
import type { Model, Place } from './transcribe.ts'

const README = join(ROOT, 'README.md')

/** Exit code: 0 all is evaluated, 1 a recording failed or a JSON is unusable. Throws UsageError when there is nothing to begin with. */
export async function runEvaluation (options: EvaluateOptions): Promise<number> {
  const log = (line: string): void => { console.error(`[evaluate] ${line}`) }
  if (options.readme === 'write') replaceSection(readFileSync(README, 'utf8'), '')
  if (options.synthesise !== undefined) synthesiseFolder(options.synthesise, { log })
  const listing = listRecordings([...options.folders, ...options.synthesise === undefined ? [] : [options.synthesise]])
  if (listing.recordings.length === 0) throw new UsageError('there are no recordings in the folder')
  for (const line of [...listing.faults, ...listing.notes]) log(line)
  const scratch = createScratch()
  try {
    const evaluation = await evaluate(listing, options, { scratch: scratch.path, log })
    console.log(renderEvaluation(evaluation))
    publish(evaluation, options)
    return listing.faults.length > 0 || evaluation.totals.failed > 0 ? 1 : 0
  } finally {
    scratch.remove()
  }
}

async function evaluate (listing: Listing, options: EvaluateOptions, place: Place): Promise<Evaluation> {
  const model = await chooseModel(options)
  const sclite = findSclite()
  const { notes, ...measured } = await measureAll(listing.recordings, options, model, sclite, place)
  const othersShare = Math.max(...[...measured.efforts, ...measured.joined?.efforts ?? []].map((effort) => effort.othersShare))
  return {
    header: await describe(options, model, sclite),
    ...measured,
    totals: sumScores(measured.scores),
    ...(sclite && { scliteVersion: sclite.version }),
    language: options.language === 'auto' ? 'detected' : 'given',
    notes: [...explain(sclite), ...notes, ...warnOfOthers(othersShare), ...listing.faults, ...listing.notes]
  }
}

async function describe (options: EvaluateOptions, model: Model, sclite: Sclite | undefined): Promise<Evaluation['header']> {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }
  const { stdout } = await runProgram('ffmpeg', ['-version'])
  const { date, ...machine } = describeMachine()
  return {
    date: date ?? '',
    stenobox: version,
    model: model.name, quality: options.quality, beam: model.beamSize, language: options.language,
    ...machine,
    ffmpeg: /^ffmpeg version (\S+)/.exec(stdout)?.[1] ?? 'unknown',
    sclite: sclite?.version ?? 'not installed'
  }
}

function explain (sclite: Sclite | undefined): string[] {
  return [
    'All programs and both scorers get the same tokens: NFKC, lower case, without punctuation, apostrophes dropped; numbers and ' +
      'abbreviations stay as they are written. S/D/I: replaced, missed, invented. WER and CER are over the recordings with speech ' +
      'that were transcribed.',
    'Times are read where the first or last word of a sentence was understood, by the alignment of the texts; mean, median and p95 ' +
      'are of absolute errors, the bias keeps its sign (+ is late).',
    'Words where nobody spoke: everything in recordings whose reference is empty, and between sentences the words that touch none ' +
      'and match none.',
    'Processor time is of all threads, of decoding the media too, without loading the weights (whisper-cli: with loading, without ' +
      'decoding). Peak memory is resident memory, weights included.',
    sclite
      ? '"differs": sclite is more than 0.1 points away. It weighs errors (replaced 4, missed and invented 3) where ours counts the ' +
        'fewest, so on texts with many errors it may find a few more.'
      : 'sclite is not installed (Debian: package sctk), so there is no second opinion on the rates.'
  ]
}

function publish (evaluation: Evaluation, { json, readme }: EvaluateOptions): void {
  if (json !== undefined) writeFileSync(json, JSON.stringify(evaluation, null, 2) + '\n')
  if (readme !== 'write') return
  writeFileSync(README, replaceSection(readFileSync(README, 'utf8'), renderSummary(evaluation)))
  console.error(`[evaluate] README.md: what is between ${README_START} and ${README_END} is new`)
}

// import.meta.main came with Node 24.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.once('SIGINT', () => process.exit(130))
  process.once('SIGTERM', () => process.exit(143))
  try {
    const options = parseCommandLine(process.argv.slice(2))
    if (options === 'help') console.log(USAGE)
    else process.exitCode = await runEvaluation(options)
  } catch (error) {
    const isUsage = error instanceof UsageError
    console.error(`evaluate: ${(error as Error).message}${isUsage ? `\n${USAGE}` : ''}`)
    process.exitCode = isUsage ? 2 : 1
  }
}
