/** Quotable passages: one sentence, or two where the second completes the first. Pure. */
import type { SentenceSpan } from '../artifact.js'
import type { Analysed, Analysis } from './analysis.js'
import { chooseDiverse, rateForQuotes } from './ranking.js'

/** A short sentence takes the next one along when that one depends on it or begins with the same word. */
const SHORT = 10
const LONGEST_SECOND = 16
const MAX_PAUSE_MS = 1500

const firstWord = (text: string): string => /[\p{L}\p{M}'’]+/u.exec(text)?.[0].toLowerCase() ?? ''

/** "Ask not what …" and "Ask what …": the same words again. */
const isRepeatedBy = ({ terms }: Analysed, next: Analysed | undefined): boolean =>
  next !== undefined && next.terms.length >= 2 && next.terms.every((term) => terms.includes(term))

function isCompletedBy (sentence: Analysed, next: Analysed | undefined, { lexicon, sentences }: Analysis): boolean {
  if (!next || next.speaker !== sentence.speaker || next.isQuestion || next.isCourtesy || next.length > LONGEST_SECOND) return false
  if (next.startMs - sentence.endMs > MAX_PAUSE_MS) return false
  if (isRepeatedBy(sentence, next)) return true
  if (sentence.length > SHORT || isRepeatedBy(next, sentences[next.index + 1])) return false
  const first = firstWord(next.text)
  return first === firstWord(sentence.text) || (lexicon.dangling.has(first) && !lexicon.determiners.has(first))
}

/** The best quotes first, none overlapping another. */
export function chooseQuotes (centrality: Float64Array, analysis: Analysis, count: number): SentenceSpan[] {
  const { sentences } = analysis
  const spans: SentenceSpan[] = []
  for (const sentence of chooseDiverse(rateForQuotes(centrality, analysis), 2 * count)) {
    const { index } = sentence
    const before = sentences[index - 1]
    const isSecond = before !== undefined && isRepeatedBy(before, sentence) && isCompletedBy(before, sentence, analysis)
    const isFirst = !isSecond && isCompletedBy(sentence, sentences[index + 1], analysis)
    const span = { first: isSecond ? index - 1 : index, last: isFirst ? index + 1 : index }
    if (spans.length < count && spans.every(({ first, last }) => span.last < first || span.first > last)) spans.push(span)
  }
  if (spans.length > 0 || sentences.length === 0) return spans
  // Nothing is quotable: the longest sentence is better than none.
  const longest = sentences.reduce((best, sentence) => sentence.length > best.length ? sentence : best)
  return [{ first: longest.index, last: longest.index }]
}
