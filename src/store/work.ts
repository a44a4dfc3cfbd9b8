/** Background work: the only claim, with its lease and its fence. Which piece is next is in `work-orders.ts`. */
import { MAX_ATTEMPTS, STAGES } from '../domain/job.js'
import type { WorkClaim } from '../domain/work.js'
import type { Database } from './database.js'

/** A piece of work to be done. `attempt`: times it was begun before; `dueAt`: not before this time. */
export type NewWork = Pick<WorkClaim, 'kind' | 'jobId' | 'run'> & {
  idx?: number, state?: 'waiting' | 'ready', attempt?: number, dueAt?: number, turnKey?: string
}
/** The pieces of one kind of a job. */
export type WorkOfJob = { jobId: number, kind: string }

type ClaimRow = { id: number, kind: string, job_id: number, idx: number, attempt: number, errors: number, run: number | null }
type Mine = { id: number, attempt: number }

const toClaim = ({ job_id: jobId, run, ...row }: ClaimRow): WorkClaim => ({ ...row, jobId, run: run ?? undefined })

/** The fence. `id` also tells runs of a job apart, because it is never used again. */
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
  // Both use work_running. Asked before it is written, because most of the time no lease has run out.
  const hasExpired = db.prepare<{ kind: string, now: number }, { id: number }>(`
    SELECT id FROM work INDEXED BY work_running WHERE kind = :kind AND state = 'running' AND lease_until <= :now LIMIT 1
  `)
  const expire = db.prepare<{ kind: string, now: number }>(`
    UPDATE work INDEXED BY work_running SET state = 'ready', lease_until = NULL
    WHERE kind = :kind AND state = 'running' AND lease_until <= :now
  `)
  const takeBack = db.prepare('UPDATE work INDEXED BY work_running SET state = \'ready\', lease_until = NULL WHERE state = \'running\'')
  const renew = db.prepare<Mine & { leaseUntil: number }>(`UPDATE work SET lease_until = :leaseUntil WHERE ${MINE}`)
  const release = db.prepare<Mine>(`UPDATE work SET state = 'ready', lease_until = NULL, attempt = attempt - 1 WHERE ${MINE}`)
  const putBack = db.prepare<Mine>(`UPDATE work SET state = 'ready', lease_until = NULL WHERE ${MINE}`)
  const noteError = db.prepare<Mine & { dueAt: number }, { errors: number }>(`
    UPDATE work SET state = 'ready', lease_until = NULL, errors = errors + 1, due_at = :dueAt WHERE ${MINE} RETURNING errors
  `)
  const finish = db.prepare<Mine>(`DELETE FROM work WHERE ${MINE}`)
  const isClaim = db.prepare<Mine, { id: number }>(`SELECT id FROM work WHERE ${MINE}`)
  const find = db.prepare<WorkOfJob & { idx: number }, { id: number }>(`
    SELECT id FROM work WHERE job_id = :jobId AND kind = :kind AND idx = :idx
  `)
  const hasOpen = db.prepare<WorkOfJob, { id: number }>('SELECT id FROM work WHERE job_id = :jobId AND kind = :kind LIMIT 1')
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
  // Walks work_ready as a whole, at a start only.
  const exhausted = db.prepare<[], { id: number, retryCount: number }>(`
    SELECT DISTINCT job_id AS id, run AS retryCount
    FROM work INDEXED BY work_ready
    WHERE state = 'ready' AND run IS NOT NULL AND attempt >= ${MAX_ATTEMPTS}
  `)

  return {
    insert ({ kind, jobId, run, idx = 0, state = 'ready', attempt = 0, dueAt = 0, turnKey }: NewWork): void {
      insert.run({ kind, jobId, run: run ?? null, idx, state, attempt, dueAt, turnKey: turnKey ?? null })
    },
    /** Claims a piece that waits to be claimed; undefined when it does not. Call it in the transaction that chose the piece. */
    claim (id: number, leaseUntil: number): WorkClaim | undefined {
      const row = claim.get({ id, leaseUntil })
      return row && toClaim(row)
    },
    /** Makes the pieces of a kind claimable whose lease has run out; they count as attempts. */
    expire (kind: string, now: number): void {
      if (hasExpired.get({ kind, now })) expire.run({ kind, now })
    },
    /** For the process that holds the work lock: makes the work of dead processes claimable; it counts as attempts. */
    takeBack: (): void => { takeBack.run() },
    renew: ({ id, attempt }: WorkClaim, leaseUntil: number): void => { renew.run({ id, attempt, leaseUntil }) },
    /** Gives a piece back undone: it does not count as an attempt. */
    release: ({ id, attempt }: WorkClaim): void => { release.run({ id, attempt }) },
    /** Gives a piece back undone, counted as an attempt, due when it was due before. */
    putBack: ({ id, attempt }: WorkClaim): void => { putBack.run({ id, attempt }) },
    /** Notes an error and gives the piece back, due at `dueAt`; the number of errors so far, or undefined when the claim was lost. */
    noteError: ({ id, attempt }: WorkClaim, dueAt = 0): number | undefined => noteError.get({ id, attempt, dueAt })?.errors,
    /** Ends a piece. False when the claim was lost: then its result must not be stored. */
    finish: ({ id, attempt }: WorkClaim): boolean => finish.run({ id, attempt }).changes === 1,
    /** True while nobody else has claimed the piece since, and its job has not ended. */
    isClaim: ({ id, attempt }: WorkClaim): boolean => isClaim.get({ id, attempt }) !== undefined,
    /** The id of a piece that is not finished. */
    find: (of: WorkOfJob, idx: number): number | undefined => find.get({ ...of, idx })?.id,
    /** True while pieces of this kind are not finished. */
    hasOpen: (of: WorkOfJob): boolean => hasOpen.get(of) !== undefined,
    /** Makes the pieces claimable that wait for something else. */
    makeReady: (of: WorkOfJob): void => { makeReady.run(of) },
    /** Removes pieces from index `from` on. Their claimants lose them. */
    remove: (of: WorkOfJob, from = 0): void => { remove.run({ ...of, from }) },
    /** Removes all work of a run; what outlives the run stays. */
    removeRun: (jobId: number): void => { removeRun.run({ jobId }) },
    /** Ends all work of a run that failed. One row stays: it says in which stage that was. */
    failRun (jobId: number): void {
      keepFailed.run({ jobId })
      removeUnfailed.run({ jobId })
    },
    /** Jobs of which some piece has been begun MAX_ATTEMPTS times without coming to an end. */
    listExhausted: (): Array<{ id: number, retryCount: number }> => exhausted.all()
  }
}
export type WorkStore = ReturnType<typeof createWorkStore>
