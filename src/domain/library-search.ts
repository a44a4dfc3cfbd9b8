/** What is asked of the library, and what is found in it. */
import type { PassageSentence } from './passages.js'

/** Which transcriptions may be found; undefined fields allow all. Times in ms since 1970, compared with the creation of the job. */
export type LibraryFilter = {
  language?: string | undefined
  speaker?: string | undefined
  fromAt?: number | undefined
  beforeAt?: number | undefined
  sourceUrl?: string | undefined
}

/** `terms`: of the query. `vectors`: of the query, by embedding model. `wanted`: candidates of each list. */
export type LibraryQuery = {
  ownerId: number
  terms: readonly string[]
  vectors: ReadonlyArray<{ model: string, vector: Float32Array }>
  filter: LibraryFilter
  wanted: number
}

/**
 * A passage that may answer a query. `similarity`: cosine of the vectors. `context`: the same for the mean of the passages around it; not
 * in short recordings. `model`: of its vector.
 */
export type Candidate = {
  passageId: number
  jobId: number
  /** Whisper's code. */
  language: string | undefined
  text: string
  startMs: number
  sentences: PassageSentence[]
  similarity: number | undefined
  context: number | undefined
  model: string | undefined
}

/**
 * `byWords`, `byMeaning`: ids of passages, best first. `rarities`: of the query's terms; terms that no passage has are the rarest, and
 * `missing` lists them.
 */
export type LibraryFinding = {
  candidates: Candidate[]
  byWords: number[]
  byMeaning: number[]
  rarities: ReadonlyMap<string, number>
  missing: ReadonlySet<string>
}

/** Finds passages of an owner. */
export type LibraryReader = {
  /** Names of the embedding models of the vectors in the library. */
  listModels (): Promise<string[]>
  find (query: LibraryQuery): Promise<LibraryFinding>
}
