/** The table of background work. Only this file claims pieces, renews leases and ends claims; `work-orders.ts` chooses the next piece. */
import { MAX_ATTEMPTS, STAGES } from '../domain/job.js'
import type { WorkClaim } from '../domain/work.js'
import type { Database } from './database.js'

/** A new piece of work. `attempt`: how often it was begun before. `dueAt`: the earliest time to begin it, in ms since 1970. */
export type NewWork = Pick<WorkClaim, 'kind' | 'jobId' | 'run'> & {
  idx?: number, state?: 'waiting' | 'ready', attempt?: number, dueAt?: number, turnKey?: string
}
/** All pieces of one kind that belong to one job. */
export type WorkOfJob = { jobId: number, kind: string }

type ClaimRow = { id: number, kind: string, job_id: number, idx: number, attempt: number, errors: number, run: number | null }
type Mine = { id: number, attempt: number }

const toClaim = ({ job_id: jobId, run, ...row }: ClaimRow): WorkClaim => ({ ...row, jobId, run: run ?? undefined })

/** Matches only the latest claim of a piece. Ids are never reused, so work of an earlier run of the job does not match. */
const MINE = 'id = :id AND attempt = :attempt AND state = \'running\''
const STAGE_NUMBER = `CASE kind ${STAGES.map((stage, number) => `WHEN '${stage}' THEN ${number}`).join(' ')} ELSE ${STAGES.length} END`

export function createWorkStore (db: Database) {
  const insert = db.prepare(`
    INSERT INTO work (kind, job_id, idx, run, state, attempt, due_at, turn_key)
    VALUES (:kind, :jobId, :idx, :run, :state, :attempt, :dueAt, :turnKey)
  `)
  const claim = db.prepare<{ id: number, leaseUntil: number }, ClaimRow>(`
    UPDATE work SET state = 'running', attempt = attempt + 1, lease_until = :leaseUntil
    WHERE id = :id AND state = 'ready'
    RETURNING id, kind, job_id, idx, attempt, errors, run
  `)
  // Both statements use the index work_running. The read comes first: usually no lease has run out and nothing needs to be written.
  const hasExpired = db.prepare<{ kind: string, now: number }, { id: number }>(`
    SELECT id FROM work INDEXED BY work_running WHERE kind = :kind AND state = 'running' AND lease_until <= :now LIMIT 1
  `)
  const expire = db.prepare<{ kind: string, now: number }>(`
    UPDATE work INDEXED BY work_running SET state = 'ready', lease_until = NULL
    WHERE kind = :kind AND state = 'running' AND lease_until <= :now
  `)
  const takeBack = db.prepare('UPDATE work INDEXED BY work_running SET state = \'ready\', lease_until = NULL WHERE state = \'running\'')
  const renew = db.prepare<Mine & { leaseUntil: number }>(`UPDATE work SET lease_until = :leaseUntil WHERE ${MINE}`)
  const release = db.prepare<Mine & { dueAt: number }>(`
    UPDATE work SET state = 'ready', lease_until = NULL, attempt = attempt - 1, due_at = max(due_at, :dueAt) WHERE ${MINE}
  `)
  const putBack = db.prepare<Mine>(`UPDATE work SET state = 'ready', lease_until = NULL WHERE ${MINE}`)
  const noteError = db.prepare<Mine & { dueAt: number }, { errors: number }>(`
    UPDATE work SET state = 'ready', lease_until = NULL, errors = errors + 1, due_at = :dueAt WHERE ${MINE} RETURNING errors
  `)
  const hurry = db.prepare<{ kind: string, now: number, latest: number }>(`
    UPDATE work SET due_at = :now WHERE kind = :kind AND state = 'ready' AND due_at > :latest
  `)
  const finish = db.prepare<Mine>(`DELETE FROM work WHERE ${MINE}`)
  const isClaim = db.prepare<Mine, { id: number }>(`SELECT id FROM work WHERE ${MINE}`)
  const find = db.prepare<WorkOfJob & { idx: number }, { id: number }>(`
    SELECT id FROM work WHERE job_id = :jobId AND kind = :kind AND idx = :idx
  `)
  const hasOpen = db.prepare<WorkOfJob, { id: number }>('SELECT id FROM work WHERE job_id = :jobId AND kind = :kind LIMIT 1')
  const isReady = db.prepare<WorkOfJob, { id: number }>(`
    SELECT id FROM work WHERE job_id = :jobId AND kind = :kind AND state = 'ready' LIMIT 1
  `)
  const makeReady = db.prepare<WorkOfJob>(`
    UPDATE work SET state = 'ready' WHERE job_id = :jobId AND kind = :kind AND state = 'waiting'
  `)
  const remove = db.prepare<WorkOfJob & { from: number }>('DELETE FROM work WHERE job_id = :jobId AND kind = :kind AND idx >= :from')
  const removeRun = db.prepare<{ jobId: number }>('DELETE FROM work WHERE job_id = :jobId AND run IS NOT NULL')
  const keepFailed = db.prepare<{ jobId: number }>(`
    UPDATE work SET state = 'failed', lease_until = NULL
    WHERE id = (SELECT id FROM work WHERE job_id = :jobId AND run IS NOT NULL ORDER BY ${STAGE_NUMBER}, idx LIMIT 1)
  `)
  const removeUnfailed = db.prepare<{ jobId: number }>(`
    DELETE FROM work WHERE job_id = :jobId AND run IS NOT NULL AND state <> 'failed'
  `)
  // Scans all of work_ready; runs only at start-up.
  const exhausted = db.prepare<[], { id: number, retryCount: number }>(`
    SELECT DISTINCT job_id AS id, run AS retryCount
    FROM work INDEXED BY work_ready
    WHERE state = 'ready' AND run IS NOT NULL AND kind <> 'speakers' AND attempt >= ${MAX_ATTEMPTS}
  `)

  return {
    insert ({ kind, jobId, run, idx = 0, state = 'ready', attempt = 0, dueAt = 0, turnKey }: NewWork): void {
      insert.run({ kind, jobId, run: run ?? null, idx, state, attempt, dueAt, turnKey: turnKey ?? null })
    },
    /** Claims a piece; undefined when it is not ready. Call it in the transaction that chose the piece. */
    claim (id: number, leaseUntil: number): WorkClaim | undefined {
      const row = claim.get({ id, leaseUntil })
      return row && toClaim(row)
    },
    /** Makes pieces of this kind whose lease has run out claimable again. The lost claims count as attempts. */
    expire (kind: string, now: number): void {
      if (hasExpired.get({ kind, now })) expire.run({ kind, now })
    },
    /** Makes work of dead processes claimable. The lost claims count as attempts. Only the holder of the work lock may call it. */
    takeBack: (): void => { takeBack.run() },
    renew: ({ id, attempt }: WorkClaim, leaseUntil: number): void => { renew.run({ id, attempt, leaseUntil }) },
    /** Gives an unfinished piece back, not due before `dueAt`. The claim does not count as an attempt. */
    release: ({ id, attempt }: WorkClaim, dueAt = 0): void => { release.run({ id, attempt, dueAt }) },
    /** Gives a piece back undone. The claim counts as an attempt; `dueAt` does not change. */
    putBack: ({ id, attempt }: WorkClaim): void => { putBack.run({ id, attempt }) },
    /** Counts an error and gives the piece back, due at `dueAt`. Returns the errors so far; undefined when the claim was lost. */
    noteError: ({ id, attempt }: WorkClaim, dueAt = 0): number | undefined => noteError.get({ id, attempt, dueAt })?.errors,
    /** Makes pieces due now that are due later than `latest`, because the clock was set back since. */
    hurry: (kind: string, now: number, latest: number): void => { hurry.run({ kind, now, latest }) },
    /** Removes a finished piece. False when the claim was lost: its result must not be stored then. */
    finish: ({ id, attempt }: WorkClaim): boolean => finish.run({ id, attempt }).changes === 1,
    /** True while the claim is valid: nobody has claimed the piece since, and its job has not ended. */
    isClaim: ({ id, attempt }: WorkClaim): boolean => isClaim.get({ id, attempt }) !== undefined,
    /** The id of an unfinished piece. */
    find: (of: WorkOfJob, idx: number): number | undefined => find.get({ ...of, idx })?.id,
    /** True while there are unfinished pieces of this kind. */
    hasOpen: (of: WorkOfJob): boolean => hasOpen.get(of) !== undefined,
    /** True while a piece of this kind is not begun. */
    isReady: (of: WorkOfJob): boolean => isReady.get(of) !== undefined,
    /** Makes waiting pieces claimable. */
    makeReady: (of: WorkOfJob): void => { makeReady.run(of) },
    /** Removes pieces from index `from` on. Claims of them are lost. */
    remove: (of: WorkOfJob, from = 0): void => { remove.run({ ...of, from }) },
    /** Removes all work of the job's run. Work without a run, such as webhooks, stays. */
    removeRun: (jobId: number): void => { removeRun.run({ jobId }) },
    /** Ends all work of a failed run. One row stays and records the stage that failed. */
    failRun (jobId: number): void {
      keepFailed.run({ jobId })
      removeUnfailed.run({ jobId })
    },
    /** Jobs with a piece that was begun MAX_ATTEMPTS times and never finished. A job does not fail because of its speakers. */
    listExhausted: (): Array<{ id: number, retryCount: number }> => exhausted.all()
  }
}
export type WorkStore = ReturnType<typeof createWorkStore>
