/** Links with which anybody can read one transcription. */
import type { Share, SharedJob } from '../domain/share.js'
import type { Database } from './database.js'

type ShareRow = { id: number, job_id: number, created_at: number, expires_at: number }
type SharedRow = ShareRow & { owner_id: number }

const COLUMNS = 's.id, s.job_id, s.created_at, s.expires_at'

const toShare = (row: ShareRow): Share => ({ id: row.id, jobId: row.job_id, createdAt: row.created_at, expiresAt: row.expires_at })

export function createShareStore (db: Database) {
  const insert = db.prepare<{ jobId: number, hash: Buffer, now: number, expiresAt: number }>(`
    INSERT INTO share (job_id, hash, created_at, expires_at)
    VALUES (:jobId, :hash, :now, :expiresAt)
  `)
  // uses the UNIQUE index on hash
  const findByHash = db.prepare<{ hash: Buffer }, SharedRow>(`
    SELECT ${COLUMNS}, j.owner_id
    FROM share s JOIN job j ON j.id = s.job_id
    WHERE s.hash = :hash
  `)
  const list = db.prepare<{ jobId: number, now: number }, ShareRow>(`
    SELECT ${COLUMNS}
    FROM share s
    WHERE s.job_id = :jobId AND s.expires_at > :now
    ORDER BY s.id
  `)
  const remove = db.prepare<{ id: number, jobId: number }>('DELETE FROM share WHERE id = :id AND job_id = :jobId')
  const removeExpired = db.prepare<{ before: number }>('DELETE FROM share WHERE expires_at <= :before')

  return {
    insert (share: { jobId: number, hash: Buffer, now: number, expiresAt: number }): Share {
      const id = Number(insert.run(share).lastInsertRowid)
      return { id, jobId: share.jobId, createdAt: share.now, expiresAt: share.expiresAt }
    },
    findByHash (hash: Buffer): SharedJob | undefined {
      const row = findByHash.get({ hash })
      return row && { ...toShare(row), ownerId: row.owner_id }
    },
    /** The links of a job that have not expired, oldest first. */
    list: (jobId: number, now: number): Share[] => list.all({ jobId, now }).map(toShare),
    /** False when the job has no such link. */
    remove: (id: number, jobId: number): boolean => remove.run({ id, jobId }).changes === 1,
    removeExpired: (before: number): void => { removeExpired.run({ before }) }
  }
}
export type ShareStore = ReturnType<typeof createShareStore>
