/** Finds the language of each stretch of a window, and decodes the stretches in their languages. */
import { assignLanguages, SURE_LANGUAGE_PROBABILITY } from '../domain/language.js'
import type { LanguagePosterior } from '../domain/language.js'
import type { SpeechChunk, Stretch } from '../domain/speech-chunks.js'
import { SpeechError } from '../domain/speech-error.js'
import type { NativeSegment, NativeState } from '../native/addon.js'
import { decodeStretch, meanLogProbability, onsetOf, samplesOf, sureness } from './decoding.js'
import type { WindowTask } from './decoding.js'
import type { TranscribeInput } from './protocol.js'

/** Sound added on both sides of a stretch that is decoded by itself. */
export const MARGIN_MS = 200
/** The language of a phrase with less speech than this cannot be told. */
const LEAST_PHRASE_MS = 400
/** In a window with more phrases than this, only the language of long ones is detected, because each costs an encoder run. */
const MAX_SHORT_PHRASES = 12
/** Phrases with at least this much speech are checked when the decoder is unsure of their text; at most MAX_DOUBTS for each window. */
const LEAST_DOUBTED_MS = 1000
/** The decoder is unsure of tokens whose mean log probability is below this. */
export const DOUBTFUL_LOG_PROBABILITY = -0.5
const MAX_DOUBTS = 3
/** A doubted phrase is in another language when that language is at least this likely. */
const OTHER_LANGUAGE_PROBABILITY = 0.8

/** A stretch of the window in one language. */
export type LanguageRun = Stretch & { language: string }
/** Facts about a window before it is decoded. `prior`: its possible languages, most likely first. */
export type WindowFacts = { probabilities: Float32Array, chunks: SpeechChunk[], lengthMs: number, prior: LanguagePosterior[] }

/** The probability of each language, likeliest first. Throws `SpeechError` aborted when the call was stopped. */
export function rankLanguages (
  state: NativeState, pcm: Float32Array, { threads, abort }: Pick<TranscribeInput, 'threads' | 'abort'>
): LanguagePosterior[] {
  const posteriors = state.detectLanguage(pcm, { threads, abort })
  if (posteriors.length === 0) throw new SpeechError('aborted', 'stopped on request')
  return posteriors
}

/** The posteriors of the languages that a model knows, scaled to sum to 1. */
export function amongKnown (posteriors: readonly LanguagePosterior[], languages: TranscribeInput['languages']): LanguagePosterior[] {
  const known = posteriors.filter(({ language }) => !languages || languages.includes(language))
  const sum = known.reduce((total, { probability }) => total + probability, 0)
  return sum > 0 ? known.map(({ language, probability }) => ({ language, probability: probability / sum })) : []
}

/** The languages of some sound, likeliest first. Throws `SpeechError` aborted. */
export function detectLanguage ({ state, input }: WindowTask, pcm: Float32Array): LanguagePosterior[] {
  return amongKnown(rankLanguages(state, pcm, input), input.languages)
}

/** A stretch with a little of the sound around it, inside a window of `lengthMs`. */
export function widen (stretch: Stretch, lengthMs: number): Stretch {
  return { startMs: Math.max(0, stretch.startMs - MARGIN_MS), endMs: Math.min(lengthMs, stretch.endMs + MARGIN_MS) }
}

/** Joins neighbouring phrases of one language. Where the language changes, the cut is in the middle of the pause. */
function toRuns (chunks: readonly SpeechChunk[], languages: readonly string[], lengthMs: number): LanguageRun[] {
  const runs: LanguageRun[] = []
  for (const [index, { startMs, endMs }] of chunks.entries()) {
    const language = languages[index] ?? languages[0] ?? 'en'
    const last = runs.at(-1)
    if (!last) runs.push({ startMs: 0, endMs, language })
    else if (last.language === language) last.endMs = endMs
    else {
      const middleMs = Math.round((last.endMs + startMs) / 2)
      last.endMs = middleMs
      runs.push({ startMs: middleMs, endMs, language })
    }
  }
  const end = runs.at(-1)
  if (end) end.endMs = lengthMs
  return runs
}

/** Divides the window into stretches of one language each, from the sound of each phrase alone. */
function findLanguageRuns (task: WindowTask, { chunks, lengthMs, prior }: WindowFacts): LanguageRun[] {
  const leastMs = chunks.length > MAX_SHORT_PHRASES ? LEAST_DOUBTED_MS : LEAST_PHRASE_MS
  const phrases = chunks.map((chunk) => ({
    speechMs: chunk.speechMs,
    posteriors: chunk.speechMs < leastMs ? [] : detectLanguage(task, samplesOf(task.pcm, widen(chunk, lengthMs)))
  }))
  return toRuns(chunks, assignLanguages(phrases, prior), lengthMs)
}

/** Whether a phrase with doubtful text, or without text, is in another language. Such text would read like a translation. */
function isMixed (task: WindowTask, { chunks, lengthMs }: WindowFacts, segments: readonly NativeSegment[], language: string): boolean {
  const tokens = segments.flatMap((segment) => segment.tokens)
  const doubts = chunks.filter(({ speechMs }) => speechMs >= LEAST_DOUBTED_MS).map((chunk) => {
    const said = tokens.filter((token) => onsetOf(token) >= chunk.startMs - MARGIN_MS && onsetOf(token) < chunk.endMs)
    return { chunk, mean: said.length === 0 ? -Infinity : meanLogProbability(said) }
  })
  const worst = doubts.filter(({ mean }) => mean < DOUBTFUL_LOG_PROBABILITY).sort((a, b) => a.mean - b.mean).slice(0, MAX_DOUBTS)
  return worst.some(({ chunk }) => {
    const [best] = detectLanguage(task, samplesOf(task.pcm, widen(chunk, lengthMs)))
    return best !== undefined && best.language !== language && best.probability >= OTHER_LANGUAGE_PROBABILITY
  })
}

const decodeRuns = (task: WindowTask, runs: readonly LanguageRun[]): NativeSegment[] =>
  runs.flatMap((run) => decodeStretch(task, run, run.language))

/**
 * The first pass over a window. One encoder run gives the language of a window and its text; only a window in several languages needs
 * more runs. Throws `SpeechError` aborted.
 */
export function decodeInLanguages (task: WindowTask, facts: WindowFacts): { runs: LanguageRun[], segments: NativeSegment[] } {
  const { input } = task
  const { chunks, lengthMs, prior } = facts
  const [likeliest] = prior
  const whole: LanguageRun = { startMs: 0, endMs: lengthMs, language: input.language ?? likeliest?.language ?? 'en' }
  const isOne = input.language !== undefined || chunks.length < 2
  const isSure = isOne || (likeliest?.probability ?? 0) >= SURE_LANGUAGE_PROBABILITY
  const first = isSure ? decodeRuns(task, [whole]) : undefined
  if (first && (isOne || !isMixed(task, facts, first, whole.language))) return { runs: [whole], segments: first }
  const runs = findLanguageRuns(task, facts)
  const segments = decodeRuns(task, runs)
  // Language detection is often wrong for short sound, so the text by phrases is used only when it is more likely.
  return first && sureness(segments) <= sureness(first) ? { runs: [whole], segments: first } : { runs, segments }
}

/** The language of most of the window. */
export function mostSpoken (runs: readonly LanguageRun[]): string {
  const lengths = new Map<string, number>()
  for (const { language, startMs, endMs } of runs) lengths.set(language, (lengths.get(language) ?? 0) + endMs - startMs)
  return [...lengths].sort(([, a], [, b]) => b - a)[0]?.[0] ?? 'en'
}
