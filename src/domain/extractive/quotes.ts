/** Quotable passages: one sentence, or two where the second completes the first. Pure. */
import type { SentenceSpan } from '../artifact.js'
import type { Analysed, Analysis } from './analysis.js'
import { chooseDiverse, rateForQuotes } from './ranking.js'

/** A short sentence takes the next one along when that one depends on it or begins with the same word. */
const SHORT = 10
const LONGEST_SECOND = 16
const MAX_PAUSE_MS = 1500

const firstWord = (text: string): string => /[\p{L}\p{M}'’]+/u.exec(text)?.[0].toLowerCase() ?? ''

function isCompletedBy (sentence: Analysed, next: Analysed | undefined, { lexicon }: Analysis): boolean {
  if (!next || next.speaker !== sentence.speaker || next.isQuestion || next.isCourtesy || next.length > LONGEST_SECOND) return false
  if (sentence.length > SHORT || next.startMs - sentence.endMs > MAX_PAUSE_MS) return false
  const first = firstWord(next.text)
  return first === firstWord(sentence.text) || (lexicon.dangling.has(first) && !lexicon.determiners.has(first))
}

/** The best quotes first, none overlapping another. */
export function chooseQuotes (centrality: Float64Array, analysis: Analysis, count: number): SentenceSpan[] {
  const { sentences } = analysis
  const spans: SentenceSpan[] = []
  for (const sentence of chooseDiverse(rateForQuotes(centrality, analysis), 2 * count)) {
    const { index } = sentence
    const span = { first: index, last: isCompletedBy(sentence, sentences[index + 1], analysis) ? index + 1 : index }
    if (spans.length < count && spans.every(({ first, last }) => span.last < first || span.first > last)) spans.push(span)
  }
  if (spans.length > 0 || sentences.length === 0) return spans
  // Nothing is quotable: the longest sentence is better than none.
  const longest = sentences.reduce((best, sentence) => sentence.length > best.length ? sentence : best)
  return [{ first: longest.index, last: longest.index }]
}
