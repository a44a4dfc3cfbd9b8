/** How far the times of words are from the times of the sentences they belong to. All times in ms. */
import { median, percentile } from './machine/statistics.js'
import { alignTokens } from './text/alignment.js'
import { splitTokens } from './text/tokens.js'
import type { Unit } from './text/tokens.js'

/** `speaker`: absent where the reference does not say. */
export type Sentence = { startMs: number, endMs: number, text: string, speaker?: string }
/** `speaker`: the label that it got; absent when it got none. */
export type HeardWord = { text: string, startMs: number, endMs: number, speaker?: string }
export type Outlasting = { ms: number, word: string, atMs: number }

export type WordTimes = {
  sentences: number
  words: number
  /** Start of the first word minus start of the sentence, for each sentence whose first word was understood. */
  startErrorsMs: number[]
  /** End of the last word minus end of the sentence, for each sentence whose last word was understood. */
  endErrorsMs: number[]
  /** The word that ends latest after the end of its sentence; absent if there is none. */
  outlasting?: Outlasting
  /** Words that touch no sentence. */
  outside: number
  /** Of these, the words that nobody said anywhere in the recording. */
  invented: number
}

export type ErrorSummary = { count: number, meanMs: number, medianMs: number, p95Ms: number, biasMs: number }

type Heard = HeardWord & {
  /** Sentence of the first token that was understood; undefined when none was. */
  sentence: number | undefined
}
type Token = { text: string, owner: number, isFirst: boolean, isLast: boolean }

/** Mean, median and 95th percentile of the absolute errors; the bias keeps the sign. */
export function summarise (errorsMs: readonly number[]): ErrorSummary {
  const absolute = errorsMs.map(Math.abs)
  const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length
  return {
    count: errorsMs.length, meanMs: mean(absolute), medianMs: median(absolute), p95Ms: percentile(absolute, 0.95), biasMs: mean(errorsMs)
  }
}

/**
 * Compares the times of words with those of their sentences. The alignment of the texts says which sentence a word belongs to, so that a
 * wrong word does not shift the others. A word that was not understood belongs to the sentence in which it starts.
 */
export function measureTimes (sentences: readonly Sentence[], words: readonly HeardWord[], unit: Unit): WordTimes {
  const said = tokensOf(sentences, unit)
  const heard = tokensOf(words, unit)
  const pairs = alignTokens(said.map(({ text }) => text), heard.map(({ text }) => text))
  const understood = words.map((word): Heard => ({ ...word, sentence: undefined }))
  const times: WordTimes = { sentences: sentences.length, words: words.length, startErrorsMs: [], endErrorsMs: [], outside: 0, invented: 0 }
  for (const [index, token] of heard.entries()) {
    const other = said[pairs[index] as number]
    if (other?.text !== token.text) continue
    const word = understood[token.owner] as Heard
    const sentence = sentences[other.owner] as Sentence
    word.sentence ??= other.owner
    if (other.isFirst && token.isFirst) times.startErrorsMs.push(word.startMs - sentence.startMs)
    if (other.isLast && token.isLast) times.endErrorsMs.push(word.endMs - sentence.endMs)
  }
  const outsiders = understood.filter((word) => !sentences.some((sentence) => touches(word, sentence)))
  const outlasting = findOutlasting(sentences, understood)
  return {
    ...times,
    ...(outlasting && { outlasting }),
    outside: outsiders.length,
    invented: outsiders.filter((word) => word.sentence === undefined && splitTokens(word.text, unit).length > 0).length
  }
}

/** The time outside all sentences, which may overlap. */
export function measurePauses (sentences: readonly Sentence[], durationMs: number): number {
  let spokenMs = 0
  let untilMs = 0
  for (const { startMs, endMs } of sentences.toSorted((a, b) => a.startMs - b.startMs)) {
    const fromMs = Math.max(startMs, untilMs)
    untilMs = Math.max(untilMs, Math.min(endMs, durationMs))
    spokenMs += Math.max(0, untilMs - fromMs)
  }
  return Math.max(0, durationMs - spokenMs)
}

function tokensOf (spans: ReadonlyArray<{ text: string }>, unit: Unit): Token[] {
  return spans.flatMap(({ text }, owner) =>
    splitTokens(text, unit).map((token, index, all) => ({ text: token, owner, isFirst: index === 0, isLast: index === all.length - 1 })))
}

function touches (word: HeardWord, sentence: Sentence): boolean {
  return word.startMs < sentence.endMs && word.endMs >= sentence.startMs
}

function findOutlasting (sentences: readonly Sentence[], words: readonly Heard[]): Outlasting | undefined {
  let worst: Outlasting | undefined
  for (const { text, startMs, endMs, sentence } of words) {
    const own = sentence === undefined ? sentences.findLast((one) => one.startMs <= startMs && startMs < one.endMs) : sentences[sentence]
    if (own && endMs - own.endMs > (worst?.ms ?? 0)) worst = { ms: endMs - own.endMs, word: text.trim(), atMs: startMs }
  }
  return worst
}
