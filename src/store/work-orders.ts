/** Which piece of work is next: one order for each policy. None claims anything; `work.ts` does, in the same transaction. */
import type { Database } from './database.js'

/**
 * Which decode may be claimed: of media up to a size, while fewer jobs than these have begun to decode and not ended, on the appliance
 * and of the owner. An owner with no such job may always begin one. `maxRunning`: how many decodes of one owner may run.
 */
export type DecodeLimits = { maxBytes: number, maxActive: number, maxPerOwner: number, maxRunning: number }
/**
 * The most recordings that are being fetched or wait to be decoded, unless the owner has none. The most fetches of one owner at once.
 */
export type FetchLimits = { maxAhead: number, maxPerOwner: number }

/** Of which recordings speakers may be identified: those up to this length. */
export type SpeakerLimits = { maxDurationMs: number }

type Id = { id: number }

const IN_PROGRESS = 'j.status IN (\'queued\', \'processing\')'
// A job that is only being fetched has no decoded sound on disk and takes no place.
const hasBegun = (job: string): string => `${job}.status = 'processing'
  AND EXISTS (SELECT 1 FROM job_stage g WHERE g.job_id = ${job}.id AND g.stage = 'decode')`

/** How many pieces of a kind run for the owner of job `j`. */
const runningOfOwner = (kind: 'fetch' | 'decode'): string => `
  SELECT count(*) FROM work q INDEXED BY work_running JOIN job p ON p.id = q.job_id
  WHERE q.kind = '${kind}' AND q.state = 'running' AND p.owner_id = j.owner_id`

/** How many recordings are being fetched or wait to be decoded. A fetch that was given back counts when it is resumed. */
const FETCHED_AHEAD = `
  SELECT count(*) FROM job p INDEXED BY job_processing WHERE p.status = 'processing' AND NOT EXISTS (
    SELECT 1 FROM job_stage g WHERE g.job_id = p.id AND g.stage = 'decode'
  ) AND NOT EXISTS (
    SELECT 1 FROM work q WHERE q.job_id = p.id AND q.kind = 'fetch' AND q.state = 'ready'
  )`
/** Whether one more may be fetched for the owner of job `j`. An owner with none may always fetch one. */
const MAY_FETCH_AHEAD = `((${FETCHED_AHEAD}) < :maxAhead OR (${FETCHED_AHEAD} AND p.owner_id = j.owner_id) = 0)`

export function createWorkOrders (db: Database) {
  // The owner with the fewest decodes, then the one whose last decode began longest ago. A job that has begun is always resumed,
  // whatever else is running.
  const decode = db.prepare<DecodeLimits, Id>(`
    SELECT w.id
    FROM work w INDEXED BY work_ready JOIN job j ON j.id = w.job_id JOIN owner o ON o.id = j.owner_id JOIN media m ON m.id = j.media_id
    WHERE w.kind = 'decode' AND w.state = 'ready' AND ${IN_PROGRESS} AND m.size_bytes <= :maxBytes
      AND (${runningOfOwner('decode')}) < :maxRunning
      AND ((${hasBegun('j')}) OR NOT EXISTS (
        SELECT 1 FROM job p INDEXED BY job_processing WHERE ${hasBegun('p')} AND p.owner_id = j.owner_id
      ) OR (
        (SELECT count(*) FROM job p INDEXED BY job_processing WHERE ${hasBegun('p')}) < :maxActive
        AND (SELECT count(*) FROM job p INDEXED BY job_processing WHERE ${hasBegun('p')} AND p.owner_id = j.owner_id) < :maxPerOwner
      ))
    ORDER BY (${runningOfOwner('decode')}), o.last_decode_turn, o.last_turn, j.id
    LIMIT 1
  `)
  // The owner with the fewest fetches, then the one whose last fetch began longest ago.
  const fetch = db.prepare<FetchLimits, Id>(`
    SELECT id FROM (
      SELECT w.id, o.last_fetch_turn, o.last_turn, j.id AS job_id, (${runningOfOwner('fetch')}) AS running
      FROM work w INDEXED BY work_ready JOIN job j ON j.id = w.job_id JOIN owner o ON o.id = j.owner_id
      WHERE w.kind = 'fetch' AND w.state = 'ready' AND ${IN_PROGRESS} AND ${MAY_FETCH_AHEAD}
    )
    WHERE running < :maxPerOwner
    ORDER BY running, last_fetch_turn, last_turn, job_id
    LIMIT 1
  `)
  // A fetch that waits for recordings to be decoded, or for its owner's share, does not wait for a place.
  const otherFetch = db.prepare<{ ownerId: number, maxAhead: number }, Id>(`
    SELECT w.id
    FROM work w INDEXED BY work_ready JOIN job j ON j.id = w.job_id
    WHERE w.kind = 'fetch' AND w.state = 'ready' AND ${IN_PROGRESS} AND j.owner_id <> :ownerId
      AND (${runningOfOwner('fetch')}) = 0 AND ${MAY_FETCH_AHEAD}
    LIMIT 1
  `)
  // The owner served longest ago, then that owner's job served longest ago. A job has one piece at a time, and waits
  // while it has to be decoded again. Completed jobs are served too: their speakers can be identified again.
  const speakers = db.prepare<SpeakerLimits, Id>(`
    SELECT w.id
    FROM work w INDEXED BY work_ready
      JOIN diarization d ON d.job_id = w.job_id JOIN job j ON j.id = w.job_id JOIN owner o ON o.id = j.owner_id
    WHERE w.kind = 'speakers' AND w.state = 'ready' AND j.duration_ms <= :maxDurationMs
      AND NOT EXISTS (SELECT 1 FROM work d WHERE d.job_id = j.id AND d.kind = 'decode')
    ORDER BY o.last_speaker_turn, d.last_turn, j.id
    LIMIT 1
  `)
  const firstOfJob = db.prepare<{ kind: string, jobId: number }, Id>(`
    SELECT id FROM work INDEXED BY work_ready WHERE kind = :kind AND job_id = :jobId AND state = 'ready' ORDER BY idx LIMIT 1
  `)
  // Jobs in progress first, in turn of their owners; then jobs of the library that are indexed again.
  const index = db.prepare<{ now: number }, Id>(`
    SELECT w.id
    FROM work w INDEXED BY work_ready JOIN job j ON j.id = w.job_id JOIN owner o ON o.id = j.owner_id
    WHERE w.kind = 'index' AND w.state = 'ready' AND w.due_at <= :now
    ORDER BY w.run IS NULL, o.last_turn, w.job_id DESC
    LIMIT 1
  `)
  const oldest = db.prepare<{ kind: string }, Id>(`
    SELECT id FROM work INDEXED BY work_ready WHERE kind = :kind AND state = 'ready' ORDER BY job_id, idx LIMIT 1
  `)
  // Steps from key to key in work_ready_by_turn, past however many pieces each has.
  const turnKeys = db.prepare<{ kind: string, now: number }, { turnKey: string }>(`
    WITH RECURSIVE found (turn_key) AS (
      SELECT min(turn_key) FROM work WHERE kind = :kind AND state = 'ready' AND turn_key IS NOT NULL
      UNION ALL
      SELECT (
        SELECT min(w.turn_key) FROM work w
        WHERE w.kind = :kind AND w.state = 'ready' AND w.turn_key IS NOT NULL AND w.turn_key > found.turn_key
      )
      FROM found
      WHERE turn_key IS NOT NULL
    ), earliest AS (
      SELECT turn_key, (
        SELECT min(w.due_at) FROM work w WHERE w.kind = :kind AND w.state = 'ready' AND w.turn_key = found.turn_key
      ) AS due_at
      FROM found
      WHERE turn_key IS NOT NULL
    )
    SELECT turn_key AS turnKey FROM earliest WHERE due_at <= :now ORDER BY due_at
  `)
  const ofTurnKey = db.prepare<{ kind: string, turnKey: string, now: number }, Id>(`
    SELECT id FROM work
    WHERE kind = :kind AND state = 'ready' AND turn_key = :turnKey AND due_at <= :now
    ORDER BY due_at, id
    LIMIT 1
  `)

  /**
   * The order of kinds that share their turns: the owner served longest ago, then that owner's job served longest ago, then its first
   * piece. A job whose decode has to be done again is passed over, because what an earlier decode left cannot be relied on.
   */
  function byTurn (kinds: readonly string[]): (now: number) => number | undefined {
    const names = Object.fromEntries(kinds.map((kind, index) => [`kind${index}`, kind]))
    // uses job_processing, then work_ready once for each job in progress
    const nextJob = db.prepare<Record<string, string | number>, Id>(`
      SELECT j.id
      FROM job j INDEXED BY job_processing JOIN owner o ON o.id = j.owner_id
      WHERE j.status = 'processing'
        AND EXISTS (
          SELECT 1 FROM work w INDEXED BY work_ready
          WHERE w.kind IN (${Object.keys(names).map((name) => `:${name}`).join(', ')}) AND w.job_id = j.id AND w.state = 'ready'
        )
        AND NOT EXISTS (
          SELECT 1 FROM work d
          WHERE d.job_id = j.id AND d.kind = 'decode' AND (d.state <> 'running' OR d.lease_until <= :now)
        )
      ORDER BY o.last_turn, j.last_turn, j.id
      LIMIT 1
    `)
    return (now) => {
      const jobId = nextJob.get({ ...names, now })?.id
      if (jobId === undefined) return undefined
      for (const kind of kinds) {
        const first = firstOfJob.get({ kind, jobId })
        if (first) return first.id
      }
      return undefined
    }
  }

  return {
    byTurn,
    decode: (limits: DecodeLimits): number | undefined => decode.get(limits)?.id,
    fetch: (limits: FetchLimits): number | undefined => fetch.get(limits)?.id,
    /** Whether another owner, with no running fetch, has one that waits for a place only. */
    isOtherFetchReady: (ownerId: number, maxAhead: number): boolean => otherFetch.get({ ownerId, maxAhead }) !== undefined,
    speakers: (limits: SpeakerLimits): number | undefined => speakers.get(limits)?.id,
    /** The next job to index that is due. */
    index: (now: number): number | undefined => index.get({ now })?.id,
    /** The oldest job first. */
    oldest: (kind: string): number | undefined => oldest.get({ kind })?.id,
    /** Turn keys for which a piece is due, the longest waiting first. */
    listTurnKeys: (kind: string, now: number): string[] => turnKeys.all({ kind, now }).map(({ turnKey }) => turnKey),
    /** The piece that has been due longest for a turn key. */
    ofTurnKey: (kind: string, turnKey: string, now: number): number | undefined => ofTurnKey.get({ kind, turnKey, now })?.id
  }
}
export type WorkOrders = ReturnType<typeof createWorkOrders>
