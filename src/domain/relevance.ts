/**
 * How relevant a passage is to a query, as a number that can be believed: 0.7 and above means "about this". Two logistic functions: of the
 * evidence for a passage, and of that together with what the other transcriptions offer. `bench/fit-relevance.ts` finds the weights.
 * Pure.
 */

/** What is known of a query and a passage. */
export type Evidence = {
  /** Cosine of their vectors. Undefined: there is no vector of one of them. */
  similarity: number | undefined
  /** Similarity of the query and all passages around this one together. Undefined: there are too few, and the usual is assumed. */
  context: number | undefined
  /** Share of the query's terms that are in the passage, each weighted by how rare it is in the library. 0..1. */
  coverage: number
  /** Share of neighbouring terms of the query that are together in the passage. 0..1. */
  together: number
  /** How many words the passage has. A very short one is similar to much, and says little. */
  words: number
  /** The model knows the language of the passage. Otherwise, similarity means less. */
  isFluent: boolean
}

/** `both`: similarity and coverage multiplied. They say the same thing in part, so its weight is negative. `length`: of the passage. */
export type PassageSign = 'similarity' | 'context' | 'coverage' | 'both' | 'together' | 'length'
/** `own`: the log-odds of the passage alone. `rivals`: the logarithm of the summed odds of its rivals. */
export type ResultSign = 'own' | 'rivals'
/** Log-odds are the bias and the sum of all signs, each times its weight. */
export type Weights<Sign extends string> = Record<Sign | 'bias', number>
export type Calibration = { passage: Weights<PassageSign>, result: Weights<ResultSign> }
/** For languages that the embedding model knows, for others, and for passages without a vector. */
export type Calibrations = Record<'fluent' | 'foreign' | 'words', Calibration>

/**
 * Fitted with all-MiniLM-L6-v2 on one half of the labelled queries. On the other half, 81 % of the English results from 0.7 on are
 * relevant, and 79.7 % of the relevant are among them. In Spanish and German, which the model does not know, 77 % and 55 % when these
 * weights were fitted; without vectors, 78 % and 50 % over all languages.
 */
const CALIBRATIONS: Calibrations = {
  fluent: {
    passage: { bias: -14.67, similarity: 22.04, context: 5.72, coverage: 11.12, both: -18.61, together: 2.46, length: 0.58 },
    result: { bias: 2.52, own: 1.12, rivals: -0.94 }
  },
  foreign: {
    passage: { bias: -6.52, similarity: 5.53, context: 0, coverage: 7.58, both: 0, together: 0, length: 0 },
    result: { bias: 2.07, own: 1.4, rivals: -1.42 }
  },
  words: {
    passage: { bias: -5.16, similarity: 0, context: 0, coverage: 7.81, both: 0, together: 0, length: 0 },
    result: { bias: 2.72, own: 1.67, rivals: -1.79 }
  }
}

/** Rivals beyond the best few change nothing: a score must not depend on how many results were asked for. */
export const MAX_RIVALS = 5
/** Odds that stand for recordings that the library might have: the best of a small library is not better for being alone. */
export const UNSEEN_ODDS = 0.1

/**
 * The least score of a passage that has every word of the query. Without it, a word in four recordings of a language that the model does
 * not know would find none of them: each counts as a rival of the others.
 */
const ALL_WORDS = 0.7

/** Which calibration is for this evidence. */
export const groupOf = ({ similarity, isFluent }: Evidence): keyof Calibrations =>
  similarity === undefined ? 'words' : isFluent ? 'fluent' : 'foreign'

/** Similarity above this is not made smaller by coverage: more evidence must never lower a score. */
const MOST_SHARED = 0.5

/** What the context of a passage of this similarity is on average, in the half of the labelled queries that was used to fit. */
const usualContext = (similarity: number): number => 0.75 * similarity

/** What speaks for a passage. */
export const passageSigns = (
  { similarity = 0, context = usualContext(similarity), coverage, together, words }: Evidence
): Record<PassageSign, number> => ({
  similarity, context, coverage, both: coverage * Math.min(similarity, MOST_SHARED), together, length: Math.log(1 + words)
})

/** What speaks for the best passage of a transcription. `rivals`: log-odds of the best passages of the others, best first. */
export const resultSigns = (own: number, rivals: readonly number[]): Record<ResultSign, number> => ({ own, rivals: strengthOf(rivals) })

/** The log-odds of these signs. */
export function weigh<Sign extends string> (signs: Record<Sign, number>, weights: Weights<Sign>): number {
  let sum: number = weights.bias
  for (const sign of Object.keys(signs) as Sign[]) sum += weights[sign] * signs[sign]
  return sum
}

/** The log-odds that a passage is relevant, from what is known of it alone. */
export const logOddsOf = (evidence: Evidence): number => weigh(passageSigns(evidence), CALIBRATIONS[groupOf(evidence)].passage)

/** How strong the rivals are together: the logarithm of the sum of their odds. `rivals`: log-odds, best first. */
export function strengthOf (rivals: readonly number[]): number {
  return Math.log(rivals.slice(0, MAX_RIVALS).reduce((sum, logOdds) => sum + Math.exp(logOdds), UNSEEN_ODDS))
}

/** The probability of log-odds. */
export const probabilityOf = (logOdds: number): number => 1 / (1 + Math.exp(-logOdds))

/** The relevance of a passage, 0 to 1. `rivals`: log-odds of the best passages of the other transcriptions, best first. */
export function relevanceOf (evidence: Evidence, rivals: readonly number[]): number {
  const score = probabilityOf(weigh(resultSigns(logOddsOf(evidence), rivals), CALIBRATIONS[groupOf(evidence)].result))
  return evidence.coverage === 1 ? Math.max(score, ALL_WORDS) : score
}

/** How rare a term is: the weight of BM25. `passages`: how many have it, of all `total`. */
export const rarityOf = (passages: number, total: number): number => Math.log(1 + (total - passages + 0.5) / (passages + 0.5))

/** Damps the first ranks, so that one list alone does not decide. The value of the authors of reciprocal rank fusion. */
const FUSION = 60

/**
 * Reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009): the sum of 1 / (60 + rank) over all lists that have the item. Items are
 * numbers, best first in each list.
 */
export function fuseRanks (lists: ReadonlyArray<readonly number[]>): Map<number, number> {
  const scores = new Map<number, number>()
  for (const list of lists) for (const [rank, item] of list.entries()) scores.set(item, (scores.get(item) ?? 0) + 1 / (FUSION + rank + 1))
  return scores
}
