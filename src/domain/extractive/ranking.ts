/** Which sentences say most about a transcript. Pure. */
import type { Analysed, Analysis } from './analysis.js'
import { similarity } from './analysis.js'
import type { Stretch } from './segmentation.js'

/** How central each sentence is to the sentences of its stretch, 0 to 1. */
export function rateCentrality (stretches: readonly Stretch[], { sentences }: Analysis): Float64Array {
  const rates = new Float64Array(sentences.length)
  for (const { first, last } of stretches) {
    const inside = sentences.slice(first, last + 1)
    // The sum of the cosines with all sentences is the cosine with their sum, so that this takes linear time.
    const total = new Map<string, number>()
    for (const { vector } of inside) for (const [term, weight] of vector) total.set(term, (total.get(term) ?? 0) + weight)
    const raw = inside.map(({ vector }) => Math.max(0, similarity(vector, total) - (vector.size > 0 ? 1 : 0)))
    const most = Math.max(1e-9, ...raw)
    for (const [offset, rate] of raw.entries()) rates[first + offset] = rate / most
  }
  return rates
}

const share = (terms: readonly string[], known: ReadonlySet<string>): number =>
  Math.min(1, terms.filter((term) => known.has(term)).length / 2)

export type Rated = { sentence: Analysed, rating: number }

/** Sentences that tell what was said: central, able to stand alone, no questions and no courtesies. Rating 0: not to be used. */
export function rateForSummary (centrality: Float64Array, { sentences, lexicon }: Analysis): Rated[] {
  return sentences.map((sentence) => {
    const words = sentence.clean.toLowerCase().split(/[^\p{L}\p{M}'’]+/u)
    const weight = 1 + 0.35 * share(words, lexicon.weight)
    const isOut = sentence.isCourtesy || sentence.isQuestion || sentence.terms.length < 2
    const announced = sentence.announces === undefined ? 1 : 0.35
    return { sentence, rating: isOut ? 0 : (0.15 + (centrality[sentence.index] ?? 0)) * sentence.independence * weight * announced }
  })
}

/** A speaker of whom more than this share are questions leads the conversation, and is quoted less. */
const HOST_SHARE = 0.25

/** The share of questions among the sentences of each named speaker. */
function listQuestionShares (sentences: readonly Analysed[]): Map<string, number> {
  const counts = new Map<string, { asked: number, all: number }>()
  for (const { speaker, isQuestion } of sentences) {
    if (speaker === undefined) continue
    const { asked, all } = counts.get(speaker) ?? { asked: 0, all: 0 }
    counts.set(speaker, { asked: asked + Number(isQuestion), all: all + 1 })
  }
  return new Map([...counts].map(([speaker, { asked, all }]) => [speaker, asked / all]))
}

/** Sentences that people like to quote: they stand alone, and say something general or strong. */
export function rateForQuotes (centrality: Float64Array, { sentences, lexicon }: Analysis): Rated[] {
  const hosts = listQuestionShares(sentences)
  return sentences.map((sentence) => {
    const words = sentence.text.toLowerCase().split(/[^\p{L}\p{M}'’]+/u)
    const emphasis = 0.4 + 1.2 * share(words, lexicon.emphasis)
    const isOut = sentence.isCourtesy || sentence.isQuestion || sentence.length < 4 || sentence.announces !== undefined
    const contrast = /,\s(?:but|not|aber|sondern|sino|pero|mais|ma|mas|maar)\s/iu.test(sentence.text) ? 1.15 : 1
    // A sentence that was cleaned much is not good verbatim.
    const wording = sentence.text.startsWith(sentence.clean.slice(0, 12)) && sentence.text.length < sentence.clean.length + 12 ? 1 : 0.5
    const asked = (hosts.get(sentence.speaker ?? '') ?? 0) > HOST_SHARE ? 0.5 : 1
    const rating = (0.6 + 0.5 * (centrality[sentence.index] ?? 0)) * sentence.independence * emphasis * contrast * wording * asked
    return { sentence, rating: isOut ? 0 : rating }
  })
}

/** How much a choice like an earlier one loses (maximal marginal relevance). */
const LIKENESS_COST = 0.7
/** Candidates considered, as a multiple of the number wanted: the rest would never be chosen. */
const CANDIDATES = 12

/** The best `count` sentences that are unlike each other, best first (Carbonell and Goldstein, SIGIR 1998). */
export function chooseDiverse (rated: readonly Rated[], count: number): Analysed[] {
  const open = rated.filter(({ rating }) => rating > 0).sort((a, b) => b.rating - a.rating).slice(0, CANDIDATES * count)
  const chosen: Analysed[] = []
  while (chosen.length < count && open.length > 0) {
    const worth = open.map(({ sentence, rating }) =>
      rating * (1 - LIKENESS_COST * chosen.reduce((most, other) => Math.max(most, similarity(sentence.vector, other.vector)), 0)))
    const best = worth.indexOf(Math.max(...worth))
    const [next] = open.splice(best, 1)
    if (next && (worth[best] ?? 0) > 0) chosen.push(next.sentence)
  }
  return chosen
}

export const inOrder = (sentences: readonly Analysed[]): Analysed[] => [...sentences].sort((a, b) => a.index - b.index)
