/** Scores: compares what was heard with what was said, for each recording and for all together. */
import { countWordErrors, rateOf, sumWordErrors } from './text/wer.js'
import type { WordErrors } from './text/wer.js'
import type { Recording } from './folder.js'
import type { RivalOutcome } from './rivals.js'
import type { Sclite } from './sclite.js'
import { measureKept, sumKept } from './speech.js'
import type { SpeechKept } from './speech.js'
import { measurePauses, measureTimes } from './times.js'
import type { WordTimes } from './times.js'
import { splitTokens } from './text/tokens.js'
import type { Unit } from './text/tokens.js'
import type { Outcome, Transcript } from './transcribe.js'

/** Two scorers agree if their rates differ by at most 0.1 points. */
const AGREEMENT = 0.001

/** `words` that nobody said, in `ms` in which nobody spoke. */
export type Invention = { words: number, ms: number }

export type Score = {
  name: string
  failure?: string
  text?: string
  durationMs?: number
  wallMs?: number
  unit?: Unit
  /** Absent when the recording was not transcribed or has no reference. */
  errors?: WordErrors
  sclite?: WordErrors
  language?: { said?: string, heard?: string }
  times?: WordTimes
  invention?: Invention
  /** Present where the recording says when somebody speaks. */
  kept?: SpeechKept
  /** By the rival's name. */
  rivals: Readonly<Record<string, RivalScore>>
}

/** `errors` are absent without a reference. */
export type RivalScore = { failure: string } | { wallMs: number, text: string, errors?: WordErrors, invention?: Invention }

export function scoreRecording (recording: Recording, outcome: Outcome, theirs: Readonly<Record<string, RivalOutcome>> = {}): Score {
  const { name, reference, speech } = recording
  if ('failure' in outcome) return { name, failure: outcome.failure, rivals: {} }
  const { transcript, wallMs } = outcome
  const { text, durationMs, skipped } = transcript
  const score = {
    name, text, durationMs, wallMs,
    language: {
      ...(recording.language !== undefined && { said: recording.language }),
      ...(transcript.language !== undefined && { heard: transcript.language })
    },
    ...(speech && { kept: measureKept(speech, skipped, durationMs) }),
    rivals: Object.fromEntries(Object.entries(theirs).map(([rival, result]) => [rival, scoreRival(recording, durationMs, result)]))
  }
  if (!reference) return score
  return { ...score, unit: reference.unit, errors: countErrors(reference.text, text, reference.unit), ...scoreTimes(recording, transcript) }
}

/** Adds the errors that sclite counts. */
export async function addSclite (
  scores: readonly Score[], recordings: readonly Recording[], sclite: Sclite, directory: string
): Promise<Score[]> {
  const pairs = scores.flatMap(({ text, errors }, index) => {
    const reference = recordings[index]?.reference
    if (text === undefined || !errors || !reference) return []
    return [{ index, said: splitTokens(reference.text, reference.unit), heard: splitTokens(text, reference.unit) }]
  })
  const counted = await sclite.score(pairs, directory)
  const byIndex = new Map(pairs.map(({ index }, position) => [index, counted[position]]))
  return scores.map((score, index) => {
    const errors = byIndex.get(index)
    return errors ? { ...score, sclite: errors } : score
  })
}

function countErrors (said: string, heard: string, unit: Unit): WordErrors {
  return countWordErrors(splitTokens(said, unit).join(' '), splitTokens(heard, unit).join(' '))
}

function scoreTimes ({ reference, sentences }: Recording, { words, durationMs }: Transcript): Pick<Score, 'times' | 'invention'> {
  // Nobody speaks, so every word is invented.
  if (reference?.text === '') return { invention: { words: countWords(words), ms: durationMs } }
  // Without sentences, the true times are not known.
  if (!reference || !sentences || sentences.length === 0) return {}
  const times = measureTimes(sentences, words, reference.unit)
  return { times, invention: { words: times.invented, ms: measurePauses(sentences, durationMs) } }
}

/** Counts words that have a letter or a digit. Signs alone, such as notes of music, are not words. */
function countWords (words: ReadonlyArray<{ text: string }>): number {
  return words.filter(({ text }) => splitTokens(text, 'word').length > 0).length
}

function scoreRival ({ reference }: Recording, durationMs: number, outcome: RivalOutcome): RivalScore {
  if ('failure' in outcome || !reference) return outcome
  const errors = countErrors(reference.text, outcome.text, reference.unit)
  // Words between sentences cannot be counted, because the text of a rival has no times.
  return { ...outcome, errors, ...(reference.text === '' && { invention: { words: errors.insertions, ms: durationMs } }) }
}

export type Totals = {
  recordings: number
  failed: number
  audioMs: number
  wallMs: number
  /**
   * Over the recordings in which somebody speaks, separately for those counted in words and in characters. Words that were invented in the
   * other recordings are in `invention`, because they have no rate.
   */
  errors: Record<Unit, WordErrors>
  /** Undefined if sclite did not score every recording. */
  sclite: Record<Unit, WordErrors> | undefined
  language: { known: number, right: number }
  times: Omit<WordTimes, 'outlasting'> & { outlasting?: NonNullable<WordTimes['outlasting']> & { name: string } }
  /** In recordings without any speech, and between sentences. */
  invention: { silent: Invention, pauses: Invention }
  /** Over the recordings whose reference says when somebody speaks; undefined if there are none. */
  kept: SpeechKept | undefined
  /** By name of the rival, over the recordings that it transcribed. */
  rivals: Readonly<Record<string, RivalTotals>>
}
type RivalTotals = { audioMs: number, wallMs: number, errors: Record<Unit, WordErrors>, silent: Invention }

export function sumScores (scores: readonly Score[]): Totals {
  const done = scores.filter(({ failure }) => failure === undefined)
  const scored = done.filter(({ errors }) => errors)
  const [silent, spoken] = [scored.filter(isSilent), scored.filter((score) => !isSilent(score))]
  const known = spoken.filter(({ language }) => language?.said !== undefined)
  const kept = done.flatMap((score) => score.kept ?? [])
  const names = [...new Set(done.flatMap(({ rivals }) => Object.keys(rivals)))]
  return {
    recordings: scores.length,
    failed: scores.length - done.length,
    audioMs: sum(done.map(({ durationMs }) => durationMs ?? 0)),
    wallMs: sum(done.map(({ wallMs }) => wallMs ?? 0)),
    errors: sumByUnit(spoken, ({ errors }) => errors),
    sclite: spoken.every(({ sclite }) => sclite) ? sumByUnit(spoken, ({ sclite }) => sclite) : undefined,
    language: { known: known.length, right: known.filter(({ language }) => language?.said === language?.heard).length },
    times: sumTimes(scored),
    invention: {
      silent: sumInventions(silent.map(({ invention }) => invention)),
      pauses: sumInventions(spoken.map(({ invention }) => invention))
    },
    kept: kept.length === 0 ? undefined : sumKept(kept),
    rivals: Object.fromEntries(names.map((name) => [name, sumRival(done, name)]))
  }
}

function sumRival (done: readonly Score[], name: string): RivalTotals {
  const results = done.flatMap(({ rivals, durationMs = 0 }) => {
    const result = rivals[name]
    return result && !('failure' in result) ? [{ ...result, durationMs }] : []
  })
  return {
    audioMs: sum(results.map(({ durationMs }) => durationMs)),
    wallMs: sum(results.map(({ wallMs }) => wallMs)),
    errors: sumByUnit(done.filter((score) => !isSilent(score)), ({ rivals }) => {
      const result = rivals[name]
      return result && 'errors' in result ? result.errors : undefined
    }),
    silent: sumInventions(results.map(({ invention }) => invention))
  }
}

function sumByUnit (scores: readonly Score[], select: (score: Score) => WordErrors | undefined): Record<Unit, WordErrors> {
  const sumOf = (unit: Unit): WordErrors => {
    const counted = scores.filter((score) => score.unit === unit)
    return sumWordErrors(counted.flatMap((score) => select(score) ?? []))
  }
  return { word: sumOf('word'), character: sumOf('character') }
}

/** True for a recording in which nobody speaks. */
export function isSilent ({ errors }: Score): boolean {
  return errors?.words === 0
}

/** Whether the two scorers agree. Without speech there is no rate, so the counts are compared. */
export function agree (errors: WordErrors, sclite: WordErrors): boolean {
  if (errors.words === 0) return errors.insertions === sclite.insertions
  return Math.abs((rateOf(errors) ?? 0) - (rateOf(sclite) ?? 0)) <= AGREEMENT + 1e-9
}

/** Undefined if somebody speaks all the time. */
export function perHour ({ words, ms }: Invention): number | undefined {
  return ms === 0 ? undefined : words * 3_600_000 / ms
}

function sumTimes (scores: readonly Score[]): Totals['times'] {
  const all = scores.flatMap(({ name, times }) => times ? [{ name, times }] : [])
  const worst = all.flatMap(({ name, times }) => times.outlasting ? [{ ...times.outlasting, name }] : []).toSorted((a, b) => b.ms - a.ms)[0]
  return {
    sentences: sum(all.map(({ times }) => times.sentences)),
    words: sum(all.map(({ times }) => times.words)),
    startErrorsMs: all.flatMap(({ times }) => times.startErrorsMs),
    endErrorsMs: all.flatMap(({ times }) => times.endErrorsMs),
    ...(worst && { outlasting: worst }),
    outside: sum(all.map(({ times }) => times.outside)),
    invented: sum(all.map(({ times }) => times.invented))
  }
}

function sumInventions (all: ReadonlyArray<Invention | undefined>): Invention {
  return { words: sum(all.map((one) => one?.words ?? 0)), ms: sum(all.map((one) => one?.ms ?? 0)) }
}

function sum (values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
