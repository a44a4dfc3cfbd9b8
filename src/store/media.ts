/** Stored source files. */
import type { Database } from './database.js'

/** `expected`: its file is still being fetched. `removed`: its file is gone. */
export type MediaState = 'expected' | 'stored' | 'removed'
export type Media = { id: number, ownerId: number, file: string, sizeBytes: number, sha256: string, state: MediaState }
type MediaRow = { id: number, owner_id: number, file: string, size_bytes: number, sha256: string, state: MediaState }

const COLUMNS = 'id, owner_id, file, size_bytes, sha256, state'

const toMedia = (row: MediaRow): Media =>
  ({ id: row.id, ownerId: row.owner_id, file: row.file, sizeBytes: row.size_bytes, sha256: row.sha256, state: row.state })

export function createMediaStore (db: Database) {
  const insert = db.prepare<Omit<Media, 'id'> & { now: number }>(`
    INSERT INTO media (owner_id, file, size_bytes, sha256, state, created_at)
    VALUES (:ownerId, :file, :sizeBytes, :sha256, :state, :now)
  `)
  const find = db.prepare<{ id: number }, MediaRow>(`SELECT ${COLUMNS} FROM media WHERE id = :id`)
  const known = db.prepare<{ file: string }, { id: number }>('SELECT id FROM media WHERE file = :file AND state = \'stored\'')
  const stateOf = db.prepare<{ file: string }, { state: MediaState }>('SELECT state FROM media WHERE file = :file')
  // uses media_by_digest
  const findStored = db.prepare<{ ownerId: number, sha256: string }, MediaRow>(`
    SELECT ${COLUMNS} FROM media WHERE owner_id = :ownerId AND sha256 = :sha256 AND state = 'stored' LIMIT 1
  `)
  const fill = db.prepare<{ id: number, sizeBytes: number, sha256: string, now: number }>(`
    UPDATE media SET size_bytes = :sizeBytes, sha256 = :sha256, state = 'stored', created_at = :now WHERE id = :id AND state = 'expected'
  `)
  const dropEmpty = db.prepare<{ id: number }>(`
    DELETE FROM media WHERE id = :id AND state <> 'stored' AND NOT EXISTS (SELECT 1 FROM job j WHERE j.media_id = :id)
  `)
  // uses job_by_media. Media is in use when a job is not finished, when a failed upload may be retried, and when completed media is
  // retained.
  const UNUSED = `state = 'stored' AND NOT EXISTS (
      SELECT 1 FROM job j
      WHERE j.media_id = media.id AND (
        j.status IN ('queued', 'processing')
        OR (j.status = 'completed' AND :keepsCompleted)
        OR (j.status = 'failed' AND NOT EXISTS (SELECT 1 FROM source s WHERE s.job_id = j.id))
      )
    )`
  const expire = db.prepare<{ id: number, keepsCompleted: number }, MediaRow>(`
    UPDATE media SET state = 'removed'
    WHERE id = :id AND ${UNUSED}
    RETURNING ${COLUMNS}
  `)
  const expireUnused = db.prepare<{ keepsCompleted: number }, MediaRow>(`
    UPDATE media SET state = 'removed'
    WHERE ${UNUSED}
    RETURNING ${COLUMNS}
  `)
  // uses media_stored
  const expireOlder = db.prepare<{ ownerId: number, before: number }, MediaRow>(`
    UPDATE media SET state = 'removed'
    WHERE state = 'stored' AND created_at <= :before AND owner_id = :ownerId AND NOT EXISTS (
      SELECT 1 FROM job j WHERE j.media_id = media.id AND j.status IN ('queued', 'processing')
    )
    RETURNING ${COLUMNS}
  `)
  const markRemoved = db.prepare<{ id: number }>('UPDATE media SET state = \'removed\' WHERE id = :id')
  // uses job_by_media
  const findSole = db.prepare<{ id: number, jobId: number }, { file: string }>(`
    SELECT file FROM media
    WHERE id = :id AND state = 'stored' AND NOT EXISTS (SELECT 1 FROM job WHERE media_id = :id AND id <> :jobId)
  `)
  // uses job_by_media
  const removeUnused = db.prepare<{ id: number }, { file: string }>(`
    DELETE FROM media
    WHERE id = :id AND NOT EXISTS (SELECT 1 FROM job WHERE media_id = :id)
    RETURNING file
  `)

  return {
    insert: (media: Pick<Media, 'ownerId' | 'file' | 'sizeBytes' | 'sha256'>, now: number): number =>
      Number(insert.run({ ...media, state: 'stored', now }).lastInsertRowid),
    /** Creates a row for a file that is not fetched yet. */
    expect: (ownerId: number, file: string, now: number): number =>
      Number(insert.run({ ownerId, file, sizeBytes: 0, sha256: '', state: 'expected', now }).lastInsertRowid),
    find (id: number): Media | undefined {
      const row = find.get({ id })
      return row && toMedia(row)
    },
    /**
     * Removes the row if no job refers to it and returns the file name; the caller removes the file. Undefined when a job still needs it.
     */
    removeUnused: (id: number): string | undefined => removeUnused.get({ id })?.file,
    /** Notes that the file is gone. */
    markRemoved: (id: number): void => { markRemoved.run({ id }) },
    /** The file of stored media that no other job refers to. */
    findSole: (id: number, jobId: number): string | undefined => findSole.get({ id, jobId })?.file,
    /** Stored media of the owner with this digest. */
    findStored (ownerId: number, sha256: string): Media | undefined {
      const row = findStored.get({ ownerId, sha256 })
      return row && toMedia(row)
    },
    /** Marks expected media as stored; false when it was not expected. */
    fill: (id: number, stored: { sizeBytes: number, sha256: string }, now: number): boolean =>
      fill.run({ id, ...stored, now }).changes === 1,
    /** Removes the row of a missing file if no job refers to it. */
    dropEmpty: (id: number): void => {
      dropEmpty.run({ id })
    },
    /** Marks media as removed if no job needs it and returns it. The caller removes the file. */
    expire (id: number, keepsCompleted: boolean): Media | undefined {
      const row = expire.get({ id, keepsCompleted: Number(keepsCompleted) })
      return row && toMedia(row)
    },
    /** The same for all media. */
    expireUnused: (keepsCompleted: boolean): Media[] => expireUnused.all({ keepsCompleted: Number(keepsCompleted) }).map(toMedia),
    /** Marks media of an owner as removed that was stored at or before `before` and that no unfinished job needs. */
    expireOlder: (ownerId: number, before: number): Media[] => expireOlder.all({ ownerId, before }).map(toMedia),
    /** Undefined when there is no row of this file. */
    stateOf: (file: string): MediaState | undefined => stateOf.get({ file })?.state,
    /** True when there is a row that says that this file is stored. */
    isKnown: (file: string): boolean => known.get({ file }) !== undefined
  }
}
export type MediaStore = ReturnType<typeof createMediaStore>
