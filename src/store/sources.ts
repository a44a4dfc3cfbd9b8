/** Where media is fetched from. Claims of fetches are in `work.ts`. */
import type { SourceFacts } from '../domain/source.js'
import type { Database } from './database.js'

export type NewSource = { jobId: number, url: string, shownUrl: string, isNamed: boolean }
export function createSourceStore (db: Database) {
  const insert = db.prepare(`
    INSERT INTO source (job_id, url, shown_url, is_named)
    VALUES (:jobId, :url, :shownUrl, :isNamed)
  `)
  const find = db.prepare<{ jobId: number }, { url: string }>('SELECT url FROM source WHERE job_id = :jobId')
  const setFetched = db.prepare<{ jobId: number, fetched: number }>('UPDATE source SET fetched = :fetched WHERE job_id = :jobId')
  const finish = db.prepare<{ jobId: number, title: string | null, publishedAt: number | null, identity: string | null }>(`
    UPDATE source
    SET title = :title, published_at = :publishedAt, identity = :identity, fetched = 1
    WHERE job_id = :jobId
  `)
  const restart = db.prepare<{ jobId: number }>('UPDATE source SET identity = NULL, fetched = 0 WHERE job_id = :jobId')
  // uses source_by_identity
  const findMedia = db.prepare<{ ownerId: number, identity: string }, { id: number }>(`
    SELECT m.id
    FROM source s JOIN job j ON j.id = s.job_id JOIN media m ON m.id = j.media_id
    WHERE s.identity = :identity AND j.owner_id = :ownerId AND m.state = 'stored'
    LIMIT 1
  `)
  const isNamed = db.prepare<{ jobId: number }, { is_named: number }>('SELECT is_named FROM source WHERE job_id = :jobId')

  return {
    insert: (source: NewSource): void => { insert.run({ ...source, isNamed: Number(source.isNamed) }) },
    /** The address as it was given. */
    findUrl: (jobId: number): string | undefined => find.get({ jobId })?.url,
    /** Stores the share that has arrived, 0 to 1. */
    setFetched: (jobId: number, fetched: number): void => { setFetched.run({ jobId, fetched }) },
    finish (jobId: number, { title, publishedAt, identity }: SourceFacts & { identity: string | undefined }): void {
      finish.run({ jobId, title: title ?? null, publishedAt: publishedAt ?? null, identity: identity ?? null })
    },
    /** Resets the source, so that it is fetched again from the beginning. False when the job has no source. */
    restart: (jobId: number): boolean => restart.run({ jobId }).changes === 1,
    /** Stored media of the owner that came from a source with this identity. */
    findMedia: (ownerId: number, identity: string): number | undefined => findMedia.get({ ownerId, identity })?.id,
    /** True when the caller named the recording. */
    isNamed: (jobId: number): boolean => isNamed.get({ jobId })?.is_named === 1
  }
}
export type SourceStore = ReturnType<typeof createSourceStore>
