/** The evaluation of accuracy: recordings in, a report out. `stenobox evaluate` runs it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { warnOfOthers } from './machine/load.js'
import { ROOT, createScratch } from './machine/paths.js'
import { runProgram } from './machine/programs.js'
import { describeMachine } from './report.js'
import { UsageError } from './command-line.js'
import type { EvaluateOptions } from './command-line.js'
import { listRecordings } from './folder.js'
import type { Listing } from './folder.js'
import { renderEvaluation, renderSummary, replaceSection } from './markdown.js'
import type { Evaluation } from './markdown.js'
import { measureAll } from './measure.js'
import { findSclite } from './sclite.js'
import type { Sclite } from './sclite.js'
import { sumScores } from './score.js'
import { synthesiseFolder } from './sounds/synthesis.js'
import { chooseModel } from './transcribe.js'
import type { Model, Place } from './transcribe.js'

/** `print` gets the report, `log` lines about the progress. */
export type Streams = { print: (text: string) => void, log: (line: string) => void }

/**
 * `complete`: every recording was evaluated and every file beside them was usable. Throws UsageError when there is nothing to evaluate, or
 * the file of `--table` has no place for a table.
 */
export async function runEvaluation (options: EvaluateOptions, { print, log }: Streams): Promise<'complete' | 'incomplete'> {
  if (options.table !== undefined) replaceSection(readFileSync(options.table, 'utf8'), '')
  if (options.synthesise !== undefined) synthesiseFolder(options.synthesise, { log })
  const listing = listRecordings([...options.folders, ...options.synthesise === undefined ? [] : [options.synthesise]])
  if (listing.recordings.length === 0) throw new UsageError('there are no recordings in the folder')
  for (const line of [...listing.faults, ...listing.notes]) log(line)
  const scratch = createScratch()
  try {
    const evaluation = await evaluate(listing, options, { scratch: scratch.path, log })
    print(renderEvaluation(evaluation))
    publish(evaluation, options, log)
    return listing.faults.length > 0 || evaluation.totals.failed > 0 ? 'incomplete' : 'complete'
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
    'Speakers of the export: words with the same speaker are a turn, pauses up to 0.3 s included. Speech without words counts as missed, ' +
      'and where two talk at once, only one of them has the word.',
    'Processor time is of all threads, of decoding the media too, without loading the weights (whisper-cli: with loading, without ' +
      'decoding). Peak memory is resident memory, weights included.',
    sclite
      ? '"differs": sclite is more than 0.1 points away. It weighs errors (replaced 4, missed and invented 3) where ours counts the ' +
        'fewest, so on texts with many errors it may find a few more.'
      : 'sclite is not installed (Debian: package sctk), so there is no second opinion on the rates.'
  ]
}

function publish (evaluation: Evaluation, { json, table }: EvaluateOptions, log: Streams['log']): void {
  if (json !== undefined) writeFileSync(json, JSON.stringify(evaluation, null, 2) + '\n')
  if (table === undefined) return
  writeFileSync(table, replaceSection(readFileSync(table, 'utf8'), renderSummary(evaluation)))
  log(`wrote the table in ${table}`)
}
