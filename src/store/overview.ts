/** Unfinished and failed jobs of all owners, for the administrator. Without names of files, titles or texts. */
import type { Database } from './database.js'

/** Running pieces of work of one kind and one job. */
export type RunningWork = { jobId: number, kind: string, pieces: number }
export type FailedPage = { before: number, limit: number }

/** A job and its owner. `since`: when its present stage began, or when it was queued. */
export type JobOfOwner = { id: number, ownerId: number, ownerName: string, since: number }

const OWNED = 'j.id, j.owner_id AS ownerId, o.name AS ownerName'
const SINCE = 'coalesce((SELECT max(g.started_at) FROM job_stage g WHERE g.job_id = j.id), j.created_at) AS since'

export function createOverviewStore (db: Database) {
  const running = db.prepare<[], RunningWork>(`
    SELECT job_id AS jobId, kind, count(*) AS pieces
    FROM work INDEXED BY work_running
    WHERE state = 'running' AND kind <> 'webhook'
    GROUP BY job_id, kind
  `)
  const find = db.prepare<{ id: number }, JobOfOwner>(`
    SELECT ${OWNED}, ${SINCE} FROM job j JOIN owner o ON o.id = j.owner_id WHERE j.id = :id
  `)
  const unfinished = db.prepare<{ status: 'processing' | 'queued', limit: number }, { id: number }>(`
    SELECT id FROM job INDEXED BY job_active WHERE status IN ('queued', 'processing') AND status = :status ORDER BY id LIMIT :limit
  `)
  // uses job_failed
  const failed = db.prepare<FailedPage, { id: number }>(`
    SELECT id FROM job WHERE status = 'failed' AND id < :before ORDER BY id DESC LIMIT :limit
  `)

  return {
    /** All running work except webhooks. */
    listRunning: (): RunningWork[] => running.all(),
    find: (id: number): JobOfOwner | undefined => find.get({ id }),
    /** Ids of jobs with this status, oldest first. */
    listUnfinished: (status: 'processing' | 'queued', limit: number): number[] => unfinished.all({ status, limit }).map(({ id }) => id),
    /** Ids of failed jobs before `before`, newest first. */
    listFailed: (page: FailedPage): number[] => failed.all(page).map(({ id }) => id)
  }
}
export type OverviewStore = ReturnType<typeof createOverviewStore>
