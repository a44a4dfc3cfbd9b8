/** Finds the sentence of a passage that best answers a query, by its words and its meaning. */
import type { Candidate } from '../domain/library-search.js'
import { knowsLanguage, similarityOf } from '../domain/embedding.js'
import type { Log } from '../domain/log.js'
import { listSentences, shareOfTerms } from '../domain/snippet.js'
import { dot } from '../domain/vectors.js'
import type { Embedder } from '../engine/text/embedder.js'

/** Sentences whose vectors are made for one search. Each takes some 5 ms; the sentences of later results are chosen by words alone. */
const MOST_COMPARED = 24

export type QueryMeaning = {
  /** Rarities of the query's terms. */
  rarities: ReadonlyMap<string, number>
  /** Of the query, by embedding model. */
  vectors: ReadonlyArray<{ model: string, vector: Float32Array }>
}

function indexOfLargest (values: readonly number[]): number {
  let best = 0
  for (const [index, value] of values.entries()) if (value > (values[best] ?? -Infinity)) best = index
  return best
}

/** Finds the matching sentences of the results of one search. */
export function createSentenceFinder (
  { embedderOf, log }: { embedderOf: (model: string) => Embedder | undefined, log: Log }, { rarities, vectors }: QueryMeaning
) {
  let left = MOST_COMPARED

  /** Similarities of sentences to the query. Undefined if no installed model knows the language. */
  async function compare (sentences: readonly string[], { model: name, language }: Candidate): Promise<number[] | undefined> {
    const [embedder, query] = [name === undefined ? undefined : embedderOf(name), vectors.find(({ model }) => model === name)]
    if (!embedder || !query || sentences.length > left) return undefined
    if (!knowsLanguage(embedder.model, language)) return undefined
    left -= sentences.length
    try {
      const made = await embedder.embed(sentences, 'passage')
      return made.map((vector) => similarityOf(dot(query.vector, vector), embedder.model))
    } catch (error) {
      log.warn({ model: name, err: error }, 'sentences have no vectors, so words alone say which one matches')
      return undefined
    }
  }

  /**
   * Index of the sentence that matches best. The share of the query's rare words in a sentence (0..1) and its similarity (0..1) are added,
   * so a name decides, and a sentence without a word of the query may still be the answer.
   */
  return async function findSentence (candidate: Candidate): Promise<number> {
    const sentences = listSentences(candidate.text, candidate.sentences)
    if (sentences.length < 2) return 0
    const shares = shareOfTerms(sentences, rarities)
    const similarities = await compare(sentences, candidate)
    return indexOfLargest(shares.map((share, index) => share + (similarities?.[index] ?? 0)))
  }
}
