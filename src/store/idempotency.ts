/** Requests with an Idempotency-Key and their answers. */
import type { RequestClaim } from '../domain/idempotency.js'
import type { Database } from './database.js'

type RequestRow = { fingerprint: Buffer, answer: Buffer | null, attempt: number, lease_until: number, created_at: number }

export type StoredRequest = { fingerprint: Buffer, answer: Buffer | undefined, attempt: number, leaseUntil: number, createdAt: number }

type NewRequest = { id: Buffer, fingerprint: Buffer, scope: string, leaseUntil: number, now: number }

export function createIdempotencyStore (db: Database) {
  const find = db.prepare<{ id: Buffer }, RequestRow>(`
    SELECT fingerprint, answer, attempt, lease_until, created_at
    FROM idempotent_request
    WHERE id = :id
  `)
  const insert = db.prepare<NewRequest>(`
    INSERT INTO idempotent_request (id, fingerprint, scope, lease_until, created_at)
    VALUES (:id, :fingerprint, :scope, :leaseUntil, :now)
  `)
  // uses idempotent_request_by_scope
  const removeBeyond = db.prepare<{ scope: string, count: number }>(`
    DELETE FROM idempotent_request
    WHERE scope = :scope AND created_at < (
      SELECT created_at FROM idempotent_request WHERE scope = :scope ORDER BY created_at DESC LIMIT 1 OFFSET :count - 1
    )
  `)
  const takeOver = db.prepare<{ id: Buffer, leaseUntil: number }, { attempt: number }>(`
    UPDATE idempotent_request
    SET attempt = attempt + 1, lease_until = :leaseUntil
    WHERE id = :id
    RETURNING attempt
  `)
  const MINE = 'id = :id AND attempt = :attempt AND answer IS NULL'
  const renew = db.prepare<RequestClaim & { leaseUntil: number }>(`UPDATE idempotent_request SET lease_until = :leaseUntil WHERE ${MINE}`)
  const finish = db.prepare<RequestClaim & { answer: Buffer }>(`UPDATE idempotent_request SET answer = :answer WHERE ${MINE}`)
  const release = db.prepare<RequestClaim>(`DELETE FROM idempotent_request WHERE ${MINE} AND revision IS NULL`)
  const endLease = db.prepare<RequestClaim>(`UPDATE idempotent_request SET lease_until = 0 WHERE ${MINE}`)
  const findRevision = db.prepare<RequestClaim, { revision: number | null }>(`SELECT revision FROM idempotent_request WHERE ${MINE}`)
  const setRevision = db.prepare<RequestClaim & { revision: number }>(`UPDATE idempotent_request SET revision = :revision WHERE ${MINE}`)
  const remove = db.prepare<{ id: Buffer }>('DELETE FROM idempotent_request WHERE id = :id')
  // uses idempotent_request_by_age
  const removeUntil = db.prepare<{ createdAt: number }>('DELETE FROM idempotent_request WHERE created_at <= :createdAt')

  return {
    find (id: Buffer): StoredRequest | undefined {
      const row = find.get({ id })
      return (
        row && {
          fingerprint: row.fingerprint,
          answer: row.answer ?? undefined,
          attempt: row.attempt,
          leaseUntil: row.lease_until,
          createdAt: row.created_at
        }
      )
    },
    /** Stores a request that is starting. `scope`: the caller. */
    insert (request: NewRequest): RequestClaim {
      insert.run(request)
      return { id: request.id, attempt: 1 }
    },
    /** Removes the oldest requests of a caller but for the latest `count`. */
    removeBeyond: (scope: string, count: number): void => { removeBeyond.run({ scope, count }) },
    /** Claims a request whose claimant died. */
    takeOver: (id: Buffer, leaseUntil: number): RequestClaim => ({ id, attempt: takeOver.get({ id, leaseUntil })?.attempt ?? 0 }),
    renew: (claim: RequestClaim, leaseUntil: number): void => { renew.run({ ...claim, leaseUntil }) },
    /** Stores the answer, unless somebody else has claimed the request since. */
    finish: (claim: RequestClaim, answer: Buffer): void => { finish.run({ ...claim, answer }) },
    /** Removes a request without a final answer. If it has begun a revision, it stays, and can be claimed again at once. */
    release (claim: RequestClaim): void {
      release.run(claim)
      endLease.run(claim)
    },
    /** The revision that the request has begun in this attempt or an earlier one. */
    findRevision: (claim: RequestClaim): number | undefined => findRevision.get(claim)?.revision ?? undefined,
    /** Notes which revision the request has begun. False when somebody else has claimed the request since. */
    setRevision: (claim: RequestClaim, revision: number): boolean => setRevision.run({ ...claim, revision }).changes === 1,
    remove: (id: Buffer): void => { remove.run({ id }) },
    /** Removes requests made at or before `createdAt`. */
    removeUntil: (createdAt: number): void => { removeUntil.run({ createdAt }) }
  }
}
export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>
