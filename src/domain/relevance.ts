/**
 * How relevant a passage is to a query, as a number that can be believed: 0.7 and above means "about this". A logistic function of the
 * evidence; its constants come from a fit on labelled pairs. Pure.
 */

/** What is known of a query and a passage. */
export type Evidence = {
  /** Cosine of their vectors. Undefined: there is no vector of one of them. */
  similarity: number | undefined
  /** Share of the query's terms that are in the passage, each weighted by how rare it is in the library. 0..1. */
  coverage: number
  /** The model knows the language of the passage. Otherwise, similarity means less. */
  isFluent: boolean
}

/** The log-odds of relevance are `bias + similarity * cosine + coverage * coverage`. */
export type Calibration = { bias: number, similarity: number, coverage: number }

/** By embedding model: for languages that it knows, and for others. */
export type ModelCalibration = { fluent: Calibration, foreign: Calibration }

const CALIBRATIONS: Readonly<Record<string, ModelCalibration>> = {
  'all-MiniLM-L6-v2-q8': {
    fluent: { bias: -6.5, similarity: 12, coverage: 2.5 },
    foreign: { bias: -5, similarity: 5, coverage: 5 }
  }
}
/** For models without a fit. */
const DEFAULT_CALIBRATION = CALIBRATIONS['all-MiniLM-L6-v2-q8']
/** Words are all the evidence there is. */
const WORDS_ONLY: Calibration = { bias: -3, similarity: 0, coverage: 5.5 }

function calibrationFor ({ similarity, isFluent }: Evidence, model: string | undefined): Calibration {
  const known = model === undefined || similarity === undefined ? undefined : CALIBRATIONS[model] ?? DEFAULT_CALIBRATION
  return known?.[isFluent ? 'fluent' : 'foreign'] ?? WORDS_ONLY
}

/** The relevance of a passage, 0 to 1. `model`: id of the embedding model of the vectors. */
export function relevanceOf (evidence: Evidence, model: string | undefined): number {
  const { bias, similarity, coverage } = calibrationFor(evidence, model)
  return 1 / (1 + Math.exp(-(bias + similarity * (evidence.similarity ?? 0) + coverage * evidence.coverage)))
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
