/** Where media is fetched from, and the claim of fetching it. */
import type { SourceFacts } from '../domain/source.js'
import type { Database } from './database.js'

export type NewSource = { jobId: number, url: string, shownUrl: string, isNamed: boolean }
/** The right to fetch a job's media until its lease ends, under an attempt number that no later claimant shares. */
export type FetchClaim = { jobId: number, url: string, attempt: number }
/** How many fetched and unfetched recordings may be ahead of decoding, and how many fetches of one owner may run. */
export type FetchLimits = { maxAhead: number, maxPerOwner: number }

type ClaimRow = { job_id: number, url: string, attempt: number }

export function createSourceStore (db: Database) {
  const insert = db.prepare(`
    INSERT INTO source (job_id, url, shown_url, is_named)
    VALUES (:jobId, :url, :shownUrl, :isNamed)
  `)
  // uses job_active and source_leased: few rows of each, however large the library. Fewest fetches under way first, then
  // the owner served longest ago.
  const claim = db.prepare<FetchLimits & { now: number, leaseUntil: number }, ClaimRow>(`
    UPDATE source
    SET attempt = attempt + 1, lease_until = :leaseUntil
    WHERE job_id = (
      SELECT job_id FROM (
        SELECT s.job_id, o.last_turn, (
          SELECT count(*)
          FROM source q INDEXED BY source_leased JOIN job p ON p.id = q.job_id
          WHERE q.lease_until > :now AND p.owner_id = j.owner_id
        ) AS running
        FROM job j INDEXED BY job_active JOIN source s ON s.job_id = j.id JOIN owner o ON o.id = j.owner_id
        WHERE j.status IN ('queued', 'processing') AND s.fetched_at IS NULL AND (s.lease_until IS NULL OR s.lease_until <= :now)
      )
      WHERE running < :maxPerOwner
        AND (SELECT count(*) FROM job p WHERE p.status = 'processing' AND NOT EXISTS (
          SELECT 1 FROM job_stage g WHERE g.job_id = p.id AND g.stage = 'decode'
        )) < :maxAhead
      ORDER BY running, last_turn, job_id
      LIMIT 1
    )
    RETURNING job_id, url, attempt
  `)
  const MINE = 'job_id = :jobId AND attempt = :attempt AND fetched_at IS NULL'
  const renew = db.prepare<{ jobId: number, attempt: number, leaseUntil: number }>(`UPDATE source SET lease_until = :leaseUntil WHERE ${MINE}`)
  const release = db.prepare<{ jobId: number, attempt: number }>(`UPDATE source SET lease_until = NULL, attempt = attempt - 1 WHERE ${MINE}`)
  const drop = db.prepare<{ jobId: number, attempt: number }>('UPDATE source SET lease_until = NULL WHERE job_id = :jobId AND attempt = :attempt')
  const isClaim = db.prepare<{ jobId: number, attempt: number }, { job_id: number }>(`
    SELECT s.job_id FROM source s JOIN job j ON j.id = s.job_id
    WHERE s.job_id = :jobId AND s.attempt = :attempt AND s.fetched_at IS NULL AND j.status = 'processing'
  `)
  const setFetched = db.prepare<{ jobId: number, attempt: number, fetched: number }>(`UPDATE source SET fetched = :fetched WHERE ${MINE}`)
  const finish = db.prepare<{ jobId: number, title: string | null, publishedAt: number | null, identity: string | null, now: number }>(`
    UPDATE source
    SET title = :title, published_at = :publishedAt, identity = :identity, fetched = 1, lease_until = NULL, fetched_at = :now
    WHERE job_id = :jobId
  `)
  const restart = db.prepare<{ jobId: number }>(`
    UPDATE source
    SET identity = NULL, fetched = 0, lease_until = NULL, fetched_at = NULL
    WHERE job_id = :jobId
  `)
  // uses source_by_identity
  const findMedia = db.prepare<{ ownerId: number, identity: string }, { id: number }>(`
    SELECT m.id
    FROM source s JOIN job j ON j.id = s.job_id JOIN media m ON m.id = j.media_id
    WHERE s.identity = :identity AND j.owner_id = :ownerId AND m.state = 'stored'
    LIMIT 1
  `)
  const isNamed = db.prepare<{ jobId: number }, { is_named: number }>('SELECT is_named FROM source WHERE job_id = :jobId')
  const takeBack = db.prepare('UPDATE source SET lease_until = NULL WHERE lease_until IS NOT NULL')

  return {
    insert: (source: NewSource): void => { insert.run({ ...source, isNamed: Number(source.isNamed) }) },
    /** Claims the next source, by fair turn per owner. */
    claim (now: number, leaseUntil: number, limits: FetchLimits): FetchClaim | undefined {
      const row = claim.get({ now, leaseUntil, ...limits })
      return row && { jobId: row.job_id, url: row.url, attempt: row.attempt }
    },
    renew: ({ jobId, attempt }: FetchClaim, leaseUntil: number): void => { renew.run({ jobId, attempt, leaseUntil }) },
    /** Gives a fetch back undone: it does not count as an attempt. */
    release: ({ jobId, attempt }: FetchClaim): void => { release.run({ jobId, attempt }) },
    /** Ends the lease of a job that has ended. */
    drop: ({ jobId, attempt }: FetchClaim): void => { drop.run({ jobId, attempt }) },
    /** True while nobody else has claimed the source since, and the job has not ended. */
    isClaim: ({ jobId, attempt }: FetchClaim): boolean => isClaim.get({ jobId, attempt }) !== undefined,
    /** Notes the share that has arrived, 0 to 1. */
    setFetched: ({ jobId, attempt }: FetchClaim, fetched: number): void => { setFetched.run({ jobId, attempt, fetched }) },
    finish (jobId: number, { title, publishedAt, identity }: SourceFacts & { identity: string | undefined }, now: number): void {
      finish.run({ jobId, title: title ?? null, publishedAt: publishedAt ?? null, identity: identity ?? null, now })
    },
    /** Makes the source be fetched again from the beginning; false when the job has none. */
    restart: (jobId: number): boolean => restart.run({ jobId }).changes === 1,
    /** Media of the owner that is kept and came from a source of this identity. */
    findMedia: (ownerId: number, identity: string): number | undefined => findMedia.get({ ownerId, identity })?.id,
    /** True when the caller named the recording. */
    isNamed: (jobId: number): boolean => isNamed.get({ jobId })?.is_named === 1,
    /** For whoever holds the work lock: frees the fetches of processes that died. */
    takeBack: (): void => { takeBack.run() }
  }
}
export type SourceStore = ReturnType<typeof createSourceStore>
