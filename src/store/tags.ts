/** Tags of transcriptions. */
import type { Tag } from '../domain/titles-and-tags.js'
import type { Database } from './database.js'

/** `count`: the transcriptions that have it. */
export type CountedTag = { name: string, count: number }

/** The most tags that are listed. */
const MAX_LISTED = 1000

export function createTagStore (db: Database) {
  const remove = db.prepare<{ jobId: number }>('DELETE FROM tag WHERE job_id = :jobId')
  const insert = db.prepare<Tag & { jobId: number, ownerId: number, idx: number }>(`
    INSERT INTO tag (job_id, key, owner_id, name, idx) VALUES (:jobId, :key, :ownerId, :name, :idx)
  `)
  // With max(), SQLite takes the other columns from the row that has the maximum: the spelling is that of the newest transcription.
  // uses tag_by_owner
  const count = db.prepare<{ ownerId: number }, CountedTag & { newest: number }>(`
    SELECT name, count(*) AS count, max(job_id) AS newest
    FROM tag
    WHERE owner_id = :ownerId
    GROUP BY key
    ORDER BY count DESC, key
    LIMIT ${MAX_LISTED}
  `)
  return {
    /** Replaces the tags of a job. */
    replace ({ jobId, ownerId }: { jobId: number, ownerId: number }, tags: readonly Tag[]): void {
      remove.run({ jobId })
      for (const [idx, tag] of tags.entries()) insert.run({ jobId, ownerId, idx, ...tag })
    },
    /** An owner's tags, the most used first, at most 1000. */
    count: (ownerId: number): CountedTag[] => count.all({ ownerId }).map(({ name, count }) => ({ name, count }))
  }
}
export type TagStore = ReturnType<typeof createTagStore>
