/** Reads passages for search: by words, from the full-text index, and by meaning, from vectors. */
import type { Candidate, LibraryFilter, LibraryFinding, LibraryQuery } from '../domain/library-search.js'
import { rarityOf } from '../domain/relevance.js'
import { cosineOf } from '../domain/vector-codes.js'
import type { Database } from './database.js'
import { PASSAGES_PER_OWNER, unpackSentence } from './passages.js'
import { createVectorCache } from './vector-cache.js'
import type { CodeScan } from './vector-cache.js'

/** A term that more of an owner's passages have says too little to look all of them up. */
const COMMON = 4000
/**
 * Passages that are ranked by words: the rarest terms of a query are looked up first, until their passages are this many. What is common
 * to so many passages hardly changes which are the best.
 */
const RANKED = 6000
/** Candidates by code, for each one that is wanted: the code is a rough guess, and the vector decides. */
const CODES_PER_WANTED = 5
/** Share of the candidates that must still have their vectors. */
const STALE_BELOW = 0.8
/** The most passages whose vectors are compared: all that a filter allows, or the nearest of them. */
const FEW = 4000

type Range = { first: number, last: number }
type CandidateRow = {
  id: number, job_id: number, start_ms: number, text: string, sentences: string, language: string | null
  model: string | null, vector: Buffer | null, stretch: Buffer | null
}
type Filter = Record<'language' | 'speaker' | 'fromAt' | 'beforeAt' | 'sourceUrl', string | number | null>

const rangeOf = (ownerId: number): Range => ({ first: ownerId * PASSAGES_PER_OWNER, last: (ownerId + 1) * PASSAGES_PER_OWNER - 1 })
const toSqlFilter = ({ language, speaker, fromAt, beforeAt, sourceUrl }: LibraryFilter): Filter => ({
  language: language ?? null, speaker: speaker ?? null, fromAt: fromAt ?? null, beforeAt: beforeAt ?? null, sourceUrl: sourceUrl ?? null
})
const isEmpty = (filter: LibraryFilter): boolean => Object.values(filter).every((value) => value === undefined)

/** The bytes of a stored vector, without a copy. */
const toVector = (stored: Buffer): Int8Array => new Int8Array(stored.buffer, stored.byteOffset, stored.length)

/** A term in the syntax of FTS5. Its quotes are gone: terms have letters, digits and marks only. */
const quote = (term: string): string => `"${term}"`

/**
 * Numbers that do not fit 32 bits are bound as REAL, and FTS5 does not use such limits: it would read all owners' passages that have the
 * term, and drop them one by one.
 */
const IN_RANGE = 'BETWEEN CAST(:first AS INTEGER) AND CAST(:last AS INTEGER)'

/** Passages of the current index of a completed job. A new one is stored beside it. */
const SHOWN = "p.version = i.version AND j.status = 'completed'"

/**
 * Which passages a filter allows. The speakers of a job are looked at before those of its passages, which are many. The language of a job
 * is the one that was asked for, or else the one that was heard.
 */
const ALLOWED = `
  (:language IS NULL OR coalesce(json_extract(j.options, '$.language'), j.heard_language) = :language)
  AND (:fromAt IS NULL OR j.created_at >= :fromAt)
  AND (:beforeAt IS NULL OR j.created_at < :beforeAt)
  AND (:sourceUrl IS NULL OR EXISTS (SELECT 1 FROM source s WHERE s.job_id = j.id AND s.shown_url = :sourceUrl))
  AND (:speaker IS NULL OR EXISTS (
    SELECT 1 FROM speaker k WHERE k.job_id = j.id AND (k.name = :speaker OR 'Speaker ' || k.number = :speaker)
  ))
  AND (:speaker IS NULL OR EXISTS (SELECT 1 FROM json_each(p.speakers) WHERE value = :speaker))`

/** `scan`: finds the nearest codes; without it, JavaScript does. */
export function createLibrary (db: Database, scan?: CodeScan) {
  const cache = createVectorCache(db, scan)
  const models = db.prepare<[], { name: string }>(`
    SELECT name FROM embedding_model m WHERE EXISTS (SELECT 1 FROM job_index i WHERE i.model_id = m.id)
  `)
  // Counting the rows would take longer than the search. Passages that are gone count too, which hardly changes how rare a term is.
  const countPassages = db.prepare<{ ownerId: number }, { last: number }>('SELECT last FROM passage_counter WHERE owner_id = :ownerId')
  const countTerm = db.prepare<Range & { match: string, most: number }, { total: number }>(`
    SELECT count(*) AS total
    FROM (SELECT 1 FROM passage_terms WHERE passage_terms MATCH :match AND rowid ${IN_RANGE} LIMIT :most)
  `)
  // Without `ORDER BY rank`: BM25 reads every passage that has the term, those of other owners too, and their number decides the order.
  const haveTerm = db.prepare<Range & { match: string }, number>(`
    SELECT rowid FROM passage_terms WHERE passage_terms MATCH :match AND rowid ${IN_RANGE}
  `).pluck()
  const allowed = db.prepare<Filter & { ownerId: number }, { id: number }>(`
    SELECT p.id
    FROM job j JOIN job_index i ON i.job_id = j.id JOIN passage p ON p.job_id = j.id AND ${SHOWN}
    WHERE j.owner_id = :ownerId AND ${ALLOWED}
    ORDER BY p.id
  `)
  const allowedOf = db.prepare<Filter & { ids: string }, { id: number }>(`
    SELECT p.id
    FROM json_each(:ids) e CROSS JOIN passage p ON p.id = e.value CROSS JOIN job j ON j.id = p.job_id
      CROSS JOIN job_index i ON i.job_id = j.id AND ${SHOWN}
    WHERE ${ALLOWED}
  `)
  // One statement for all of them: a call for each row would take most of the time of a search.
  const vectors = db.prepare<[string, string], [id: number, vector: Buffer]>(`
    SELECT v.passage_id, v.vector
    FROM json_each(?) e CROSS JOIN passage_vector v ON v.passage_id = e.value
    WHERE v.model_id = (SELECT id FROM embedding_model WHERE name = ?)
  `).raw()
  // The owner is checked as well, although no passage of another owner is ever asked for.
  const candidates = db.prepare<{ ids: string, ownerId: number }, CandidateRow>(`
    SELECT p.id, p.job_id, p.start_ms, p.text, p.sentences, coalesce(json_extract(j.options, '$.language'), j.heard_language) AS language,
      m.name AS model, v.vector, (
        SELECT s.vector FROM passage_stretch s
        WHERE s.job_id = p.job_id AND s.version = p.version AND s.first_id <= p.id
        ORDER BY s.first_id DESC
        LIMIT 1
      ) AS stretch
    FROM json_each(:ids) e CROSS JOIN passage p ON p.id = e.value CROSS JOIN job j ON j.id = p.job_id
      CROSS JOIN job_index i ON i.job_id = j.id AND ${SHOWN}
      LEFT JOIN passage_vector v ON v.passage_id = p.id LEFT JOIN embedding_model m ON m.id = v.model_id
    WHERE j.owner_id = :ownerId
  `)

  /** Passages that have some of these terms: first those with the rarest and most of them, then the newest. */
  function rankByRarity (range: Range, terms: readonly string[], rarities: ReadonlyMap<string, number>): number[] {
    const sums = new Map<number, number>()
    for (const term of terms) {
      const rarity = rarities.get(term) ?? 0
      for (const id of haveTerm.all({ ...range, match: quote(term) })) sums.set(id, (sums.get(id) ?? 0) + rarity)
    }
    // Thousands of passages have one of a few sums: sorting them all by both numbers would take longer than reading them.
    const bySum = new Map<number, number[]>()
    for (const [id, sum] of sums) {
      const ids = bySum.get(sum)
      if (ids) ids.push(id)
      else bySum.set(sum, [id])
    }
    return [...bySum].sort(([sum], [other]) => other - sum).flatMap(([, ids]) => ids.sort((a, b) => b - a))
  }

  /** The first `wanted` of these passages that are of current indexes, and that the filter allows. */
  function takeAllowed (ids: readonly number[], filter: Filter, wanted: number): number[] {
    const taken: number[] = []
    for (let from = 0, count = 2 * wanted; from < ids.length && taken.length < wanted; from += count, count *= 2) {
      const some = ids.slice(from, from + count)
      const areAllowed = new Set(allowedOf.all({ ...filter, ids: JSON.stringify(some) }).map(({ id }) => id))
      taken.push(...some.filter((id) => areAllowed.has(id)))
    }
    return taken.slice(0, wanted)
  }

  function findByWords ({ ownerId, terms, filter, wanted }: LibraryQuery) {
    const range = rangeOf(ownerId)
    const passages = countPassages.get({ ownerId })?.last ?? 0
    const found = terms.map((term) => ({ term, total: countTerm.get({ ...range, match: quote(term), most: COMMON })?.total ?? 0 }))
    const rarities = new Map(found.map(({ term, total }) => [term, rarityOf(total, Math.max(passages, total))]))
    const missing = new Set(found.flatMap(({ term, total }) => total === 0 ? [term] : []))
    let looked = 0
    const telling = found.filter(({ total }) => total > 0 && total < COMMON)
      .sort((a, b) => a.total - b.total)
      .filter(({ total }) => (looked += total) <= RANKED)
    const ids = rankByRarity(range, telling.map(({ term }) => term), rarities)
    return { ids: takeAllowed(ids, toSqlFilter(filter), wanted), rarities, missing }
  }

  /** Compares the vectors of these passages with the query. Passages that are gone, or have a vector of another model, drop out. */
  const compare = (ids: readonly number[], model: string, query: Float32Array): Array<{ id: number, similarity: number }> =>
    vectors.all(JSON.stringify(ids), model).map(([id, vector]) => ({ id, similarity: cosineOf(query, toVector(vector)) }))

  /** Of the passages nearest to the query, those that the filter allows. Undefined when they are too few, as with a narrow filter. */
  function findAllowed (range: Range, model: string, query: Float32Array, filter: Filter, wanted: number): number[] | undefined {
    // Most filters leave half of the passages, and looking at many takes time.
    for (const looked of [2 * wanted, FEW]) {
      const near = cache.findNearest(range, model, query, looked)
      const ids = allowedOf.all({ ...filter, ids: JSON.stringify(near) }).map(({ id }) => id)
      if (ids.length >= wanted) return ids
    }
    return undefined
  }

  function findByMeaning ({ ownerId, vectors: queries, filter, wanted }: LibraryQuery): number[] {
    const range = rangeOf(ownerId)
    const sqlFilter = isEmpty(filter) ? undefined : toSqlFilter(filter)
    let all: number[] | undefined
    const found = queries.flatMap(({ model, vector: query }) => {
      const some = sqlFilter && findAllowed(range, model, query, sqlFilter, wanted * CODES_PER_WANTED)
      if (some) return compare(some, model, query)
      // Listing all that a wide filter allows would take most of a second in a large library.
      if (sqlFilter) all ??= allowed.all({ ...sqlFilter, ownerId }).map(({ id }) => id)
      if (all && all.length <= FEW) return compare(all, model, query)
      const near = cache.findNearest(range, model, query, wanted * CODES_PER_WANTED, all)
      const compared = compare(near, model, query)
      if (compared.length < STALE_BELOW * near.length) cache.drop(range, model)
      return compared
    })
    const ids = found.sort((a, b) => b.similarity - a.similarity).map(({ id }) => id)
    return sqlFilter ? ids.slice(0, wanted) : takeAllowed(ids, toSqlFilter(filter), wanted)
  }

  function toCandidate (row: CandidateRow, { vectors: queries }: LibraryQuery): Candidate {
    const query = queries.find(({ model }) => model === row.model)
    const compareWith = (stored: Buffer | null): number | undefined =>
      query && stored ? cosineOf(query.vector, toVector(stored)) : undefined
    return {
      passageId: row.id,
      jobId: row.job_id,
      language: row.language ?? undefined,
      text: row.text,
      startMs: row.start_ms,
      sentences: (JSON.parse(row.sentences) as Array<[number, number, number]>).map(unpackSentence),
      similarity: compareWith(row.vector),
      context: compareWith(row.stretch),
      model: row.model ?? undefined
    }
  }

  // One transaction: between two reads, a new index may take the place of the old one.
  const find = db.transaction((query: LibraryQuery): LibraryFinding => {
    const { ids: words, rarities, missing } = findByWords(query)
    const meanings = findByMeaning(query)
    const ids = JSON.stringify([...new Set([...words, ...meanings])])
    const rows = candidates.all({ ids, ownerId: query.ownerId })
    return { candidates: rows.map((row) => toCandidate(row, query)), byWords: words, byMeaning: meanings, rarities, missing }
  })

  return {
    listModels: (): string[] => models.all().map(({ name }) => name),
    /** Passages of completed transcriptions of one owner that may answer the query. */
    find: (query: LibraryQuery): LibraryFinding => find(query)
  }
}
export type Library = ReturnType<typeof createLibrary>
