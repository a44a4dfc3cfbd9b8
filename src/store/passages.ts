/** Passages, their terms and their vectors: what is written. `library.ts` reads them for search. */
import type { Passage, PassageSentence } from '../domain/passages.js'
import { toIndexText } from '../domain/search-terms.js'
import { meanDirection, toBytes } from '../domain/vector-codes.js'
import type { Database } from './database.js'

/** Ids of one owner's passages are consecutive; each owner has a range of this length. */
export const PASSAGES_PER_OWNER = 2 ** 31

type Model = { id: string, dimensions: number }

/** A passage and its vector, if there is one. */
export type IndexedPassage = Passage & { vector?: Float32Array | undefined }

/** `model`: of the vectors; undefined: words only. `fault`: why there are none although a model should make them. */
export type JobIndex = { model: string | undefined, fault: string | undefined }

/** A passage among all of a job, those included that nobody finds. */
type Place = { version: number, id: number }
type TextVector = Place & { text: string, vector: Buffer | null }
/** Version of how passages are cut and stored. */
const LAYOUT = 1
/** The mean of fewer passages would be too much like each of them. */
const LEAST_OF_STRETCH = 8
/** Passages that are removed, or whose vectors are read, at once: less than a ms. */
const REMOVED_AT_ONCE = 8
const READ_AT_ONCE = 64
/** Pages of the full-text index that are merged after a slice of storing, which writes about five. */
const MERGED_PAGES = 24

type PackedSentence = [offset: number, startMs: number, endMs: number]
const packSentence = ({ offset, startMs, endMs }: PassageSentence): PackedSentence => [offset, startMs, endMs]
export const unpackSentence = ([offset, startMs, endMs]: PackedSentence): PassageSentence => ({ offset, startMs, endMs })

const toBlob = (vector: Float32Array): Buffer => Buffer.from(toBytes(vector).buffer)

export function createPassageStore (db: Database) {
  const count = db.prepare<{ ownerId: number }, { last: number }>(`
    INSERT INTO passage_counter (owner_id, last)
    VALUES (:ownerId, 1)
    ON CONFLICT (owner_id) DO UPDATE SET last = last + 1
    RETURNING last
  `)
  const insert = db.prepare(`
    INSERT INTO passage (id, job_id, start_ms, end_ms, text, speakers, sentences, version)
    VALUES (
      :id, :jobId, :startMs, :endMs, :text, :speakers, :sentences,
      (SELECT coalesce(max(version), 0) + 1 FROM job_index WHERE job_id = :jobId)
    )
  `)
  const insertTerms = db.prepare('INSERT INTO passage_terms (rowid, terms) VALUES (:id, :terms)')
  const insertVector = db.prepare('INSERT INTO passage_vector (passage_id, model_id, vector) VALUES (:id, :modelId, :vector)')
  const insertStretch = db.prepare(`
    INSERT INTO passage_stretch (job_id, version, first_id, vector)
    SELECT job_id, version, id, :vector FROM passage WHERE id = :id
  `)
  const removeHiddenStretches = db.prepare<{ jobId: number, version: number }>(`
    DELETE FROM passage_stretch WHERE job_id = :jobId AND version <> :version
  `)
  const removeHidden = db.prepare<{ jobId: number, version: number, limit: number }>(`
    DELETE FROM passage WHERE id IN (
      SELECT id FROM passage WHERE job_id = :jobId AND version < :version
      UNION ALL
      SELECT id FROM passage WHERE job_id = :jobId AND version > :version
      LIMIT :limit
    )
  `)
  const insertModel = db.prepare<{ name: string, dimensions: number }>(`
    INSERT INTO embedding_model (name, dimensions) VALUES (:name, :dimensions) ON CONFLICT (name) DO NOTHING
  `)
  const findModel = db.prepare<{ name: string }, { id: number }>('SELECT id FROM embedding_model WHERE name = :name')
  const merge = db.prepare<{ pages: number }>("INSERT INTO passage_terms (passage_terms, rank) VALUES ('merge', :pages)")
  const setIndex = db.prepare(`
    INSERT INTO job_index (job_id, model_id, fault, indexed_at, layout)
    VALUES (:jobId, :modelId, :fault, :now, ${LAYOUT})
    ON CONFLICT (job_id) DO UPDATE
    SET model_id = excluded.model_id, fault = excluded.fault, indexed_at = excluded.indexed_at, layout = excluded.layout,
      version = version + 1
  `)
  const hide = db.prepare<{ jobId: number }>('DELETE FROM job_index WHERE job_id = :jobId')
  const findVersion = db.prepare<{ jobId: number }, number>('SELECT version FROM job_index WHERE job_id = :jobId').pluck()
  const findIndex = db.prepare<{ jobId: number }, { model: string | null, fault: string | null }>(`
    SELECT (SELECT name FROM embedding_model m WHERE m.id = i.model_id) AS model, fault FROM job_index i WHERE job_id = :jobId
  `)
  const vectors = db.prepare<{ jobId: number }, { startMs: number, endMs: number, vector: Buffer }>(`
    SELECT p.start_ms AS startMs, p.end_ms AS endMs, v.vector
    FROM passage p JOIN passage_vector v ON v.passage_id = p.id
    WHERE p.job_id = :jobId AND p.version = (SELECT version FROM job_index WHERE job_id = :jobId)
    ORDER BY p.id
  `)
  const textVectors = db.prepare<Place & { jobId: number, model: string, limit: number }, TextVector>(`
    SELECT p.version, p.id, p.text, v.vector
    FROM passage p LEFT JOIN passage_vector v
      ON v.passage_id = p.id AND v.model_id = (SELECT id FROM embedding_model WHERE name = :model)
    WHERE p.job_id = :jobId AND (p.version, p.id) > (:version, :id)
    ORDER BY p.version, p.id
    LIMIT :limit
  `)
  // Reads the completed jobs until it has found enough; they are few when nothing is wrong, because it starts with jobs without an index.
  const stale = db.prepare<{ model: string | null, triedBefore: number, limit: number }, { id: number }>(`
    SELECT j.id
    FROM job j LEFT JOIN job_index i ON i.job_id = j.id LEFT JOIN embedding_model m ON m.id = i.model_id
    WHERE j.status = 'completed'
      AND (i.job_id IS NULL OR (i.fault IS NOT NULL AND i.indexed_at < :triedBefore)
        OR (i.fault IS NULL AND (m.name IS NOT :model OR i.layout < ${LAYOUT})))
      AND NOT EXISTS (SELECT 1 FROM work w WHERE w.job_id = j.id AND w.kind = 'index')
    ORDER BY j.id DESC
    LIMIT :limit
  `)

  function idOfModel ({ id: name, dimensions }: Model): number | undefined {
    insertModel.run({ name, dimensions })
    return findModel.get({ name })?.id
  }

  return {
    /** Adds a stretch of passages to the next index of a job. Nobody finds them before `show`. Call it in a transaction. */
    add ({ jobId, ownerId }: { jobId: number, ownerId: number }, passages: readonly IndexedPassage[], model: Model | undefined): void {
      const modelId = model && idOfModel(model)
      let firstId: number | undefined
      for (const { startMs, endMs, text, speakers, sentences, vector } of passages) {
        const id = ownerId * PASSAGES_PER_OWNER + (count.get({ ownerId })?.last ?? 0)
        firstId ??= id
        insert.run({
          id, jobId, startMs, endMs, text, speakers: JSON.stringify(speakers), sentences: JSON.stringify(sentences.map(packSentence))
        })
        insertTerms.run({ id, terms: toIndexText(text) })
        if (vector && modelId !== undefined) insertVector.run({ id, modelId, vector: toBlob(vector) })
      }
      const mean = passages.length < LEAST_OF_STRETCH ? undefined : meanDirection(passages.map(({ vector }) => vector))
      if (mean && modelId !== undefined) insertStretch.run({ id: firstId, vector: toBlob(mean) })
    },
    /** From now on, the passages that were added are the index of the job, and those of before are not found. Call it in a transaction. */
    show (jobId: number, { model, fault, now }: { model: Model | undefined, fault: string | undefined, now: number }): void {
      setIndex.run({ jobId, modelId: (model && idOfModel(model)) ?? null, fault: fault ?? null, now })
    },
    /** From now on, no passage of the job is found. If it is completed, it is indexed again when `listStale` is asked next. */
    hide: (jobId: number): void => { hide.run({ jobId }) },
    /**
     * Removes some of a job's passages that nobody finds: of an index that was replaced, or whose storing was interrupted. True: there may
     * be more. Call it in a transaction.
     */
    removeHidden (jobId: number): boolean {
      const version = findVersion.get({ jobId }) ?? 0
      if (removeHidden.run({ jobId, version, limit: REMOVED_AT_ONCE }).changes === REMOVED_AT_ONCE) return true
      removeHiddenStretches.run({ jobId, version })
      return false
    },
    /**
     * Merges a part of the full-text index, in about 2 ms. Call it for each transaction of indexing, in it; erasure merges after deletions.
     */
    mergeTerms: (): void => { merge.run({ pages: MERGED_PAGES }) },
    /** How a job is indexed; undefined: it is not. */
    findIndex (jobId: number): JobIndex | undefined {
      const row = findIndex.get({ jobId })
      return row && { model: row.model ?? undefined, fault: row.fault ?? undefined }
    },
    /** The vectors of a job's passages, in order of time. Their lengths differ; only their directions count. */
    listVectors: (jobId: number): Array<{ startMs: number, endMs: number, vector: Float32Array }> =>
      vectors.all({ jobId }).map(({ vector, ...times }) => ({ ...times, vector: Float32Array.from(new Int8Array(vector)) })),
    /**
     * The texts of a job's passages with the vectors that this model made of them, those included that nobody finds. Page by page, so that
     * others can write meanwhile. The lengths of vectors differ; only their directions count.
     */
    * iterateVectors (jobId: number, model: string): Generator<[text: string, vector: Float32Array]> {
      let place: Place | undefined = { version: -1, id: -1 }
      while (place) {
        const rows: TextVector[] = textVectors.all({ jobId, model, version: place.version, id: place.id, limit: READ_AT_ONCE })
        for (const { text, vector } of rows) if (vector) yield [text, Float32Array.from(new Int8Array(vector))]
        place = rows.at(-1)
      }
    },
    /**
     * Completed jobs, newest first, that have no index, or one of another model than `model`, or a faulty one that was last tried before
     * `triedBefore`. Jobs that are waiting to be indexed are not among them.
     */
    listStale: (model: string | undefined, triedBefore: number, limit: number): number[] =>
      stale.all({ model: model ?? null, triedBefore, limit }).map(({ id }) => id)
  }
}
export type PassageStore = ReturnType<typeof createPassageStore>
