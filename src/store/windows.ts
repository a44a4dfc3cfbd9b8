/** Windows: the unit of work of the pool, claimed by fair turn per owner and job. */
import type { LanguagePosterior } from '../domain/language.js'
import type { TranscriptFacts } from '../domain/warnings.js'
import type { AudioWindow } from '../domain/windows.js'
import type { Database } from './database.js'

export type WindowPurpose = 'language' | 'speech'
export type WindowKey = { jobId: number, purpose: WindowPurpose, idx: number }
/** A claimed window. `attempt` fences: a result is taken only from the latest claimant; and `retryCount` those of before a retry, which counts anew. */
export type WindowClaim = WindowKey & AudioWindow & { attempt: number, retryCount: number }

type ClaimKey = WindowKey & Pick<WindowClaim, 'attempt' | 'retryCount'>
type BoundsRow = { start_sample: number, end_sample: number, gaps: string | null, speech_ms: number | null }
type WindowRow = BoundsRow & { job_id: number, purpose: WindowPurpose, idx: number, attempt: number }

const packGaps = ({ gaps }: AudioWindow): string | null => gaps ? JSON.stringify(gaps.map(({ startSample, endSample }) => [startSample, endSample])) : null

function toBounds (row: BoundsRow): AudioWindow {
  const bounds = {
    startSample: row.start_sample, endSample: row.end_sample, ...(row.speech_ms === null ? {} : { speechMs: row.speech_ms })
  }
  if (row.gaps === null) return bounds
  const gaps = JSON.parse(row.gaps) as Array<[number, number]>
  return { ...bounds, gaps: gaps.map(([startSample, endSample]) => ({ startSample, endSample })) }
}

const toWindow = (row: WindowRow): WindowKey & AudioWindow & { attempt: number } => ({
  jobId: row.job_id,
  purpose: row.purpose,
  idx: row.idx,
  ...toBounds(row),
  attempt: row.attempt
})

/**
 * Which windows of job `j` may be worked on: samples of the language first; speech once the language is known, or when no sample is wanted.
 * While nobody decodes a job that has to be decoded, none: what an earlier decoder left is not to be relied on.
 */
const CLAIMABLE = `
  w.job_id = j.id
  AND (j.stage <> 'decode' OR j.decode_lease_until IS NOT NULL)
  AND w.status <> 'done'
  AND (w.status = 'queued' OR (w.status = 'running' AND w.lease_until <= :now))
  AND w.purpose = CASE WHEN j.heard_language IS NOT NULL OR j.options ->> '$.language' IS NOT NULL OR j.stage = 'transcribe' THEN 'speech' ELSE 'language' END
`

export function createWindowStore (db: Database) {
  // uses job_processing, then window_open once per running job
  const nextJob = db.prepare<{ now: number }, { id: number, retry_count: number }>(`
    SELECT j.id, j.retry_count
    FROM job j INDEXED BY job_processing JOIN owner o ON o.id = j.owner_id
    WHERE j.status = 'processing' AND EXISTS (SELECT 1 FROM window w INDEXED BY window_open WHERE ${CLAIMABLE})
    ORDER BY o.last_turn, j.last_turn, j.id
    LIMIT 1
  `)
  const claim = db.prepare<{ jobId: number, now: number, leaseUntil: number }, WindowRow>(`
    UPDATE window
    SET status = 'running', attempt = attempt + 1, lease_until = :leaseUntil
    WHERE (job_id, purpose, idx) = (
      SELECT w.job_id, w.purpose, w.idx
      FROM job j JOIN window w INDEXED BY window_open ON ${CLAIMABLE}
      WHERE j.id = :jobId
      ORDER BY w.idx
      LIMIT 1
    )
    RETURNING job_id, purpose, idx, start_sample, end_sample, gaps, speech_ms, attempt
  `)
  const MINE = `
    job_id = :jobId AND purpose = :purpose AND idx = :idx AND attempt = :attempt AND status = 'running'
    AND (SELECT retry_count FROM job WHERE id = :jobId) = :retryCount
  `
  const renew = db.prepare<ClaimKey & { leaseUntil: number }>(`UPDATE window SET lease_until = :leaseUntil WHERE ${MINE}`)
  const finish = db.prepare<ClaimKey & { result: string | null }>(`
    UPDATE window SET status = 'done', lease_until = NULL, result = :result WHERE ${MINE}
  `)
  const release = db.prepare<ClaimKey>(`
    UPDATE window SET status = 'queued', lease_until = NULL, attempt = attempt - 1 WHERE ${MINE}
  `)
  const erred = db.prepare<ClaimKey, { errors: number }>(`
    UPDATE window SET status = 'queued', lease_until = NULL, errors = errors + 1 WHERE ${MINE} RETURNING errors
  `)
  const find = db.prepare<WindowKey, BoundsRow>(`
    SELECT start_sample, end_sample, gaps, speech_ms FROM window WHERE job_id = :jobId AND purpose = :purpose AND idx = :idx
  `)
  const insert = db.prepare<WindowKey & Omit<AudioWindow, 'gaps' | 'speechMs'> & { gaps: string | null, speechMs: number | null }>(`
    INSERT INTO window (job_id, purpose, idx, start_sample, end_sample, gaps, speech_ms)
    VALUES (:jobId, :purpose, :idx, :startSample, :endSample, :gaps, :speechMs)
  `)
  const setOutcome = db.prepare<WindowKey & { wordCount: number, byStarter: number }>(`
    UPDATE window SET word_count = :wordCount, by_starter = :byStarter WHERE job_id = :jobId AND purpose = :purpose AND idx = :idx
  `)
  const facts = db.prepare<{ jobId: number }, { used_starter: number, speech_ms: number, wordless_ms: number, word_count: number }>(`
    SELECT
      coalesce(max(by_starter), 0) AS used_starter,
      coalesce(sum(speech_ms), 0) AS speech_ms,
      coalesce(sum(speech_ms) FILTER (WHERE word_count = 0), 0) AS wordless_ms,
      coalesce(sum(word_count), 0) AS word_count
    FROM window
    WHERE job_id = :jobId AND purpose = 'speech' AND word_count IS NOT NULL
  `)
  const removeFrom = db.prepare<WindowKey>('DELETE FROM window WHERE job_id = :jobId AND purpose = :purpose AND idx >= :idx')
  const removeOpen = db.prepare<{ jobId: number }>(`
    DELETE FROM window WHERE job_id = :jobId AND (status <> 'done' OR purpose = 'language')
  `)
  const open = db.prepare<{ jobId: number, purpose: WindowPurpose }, { n: number }>(`
    SELECT count(*) AS n FROM window WHERE job_id = :jobId AND purpose = :purpose AND status <> 'done'
  `)
  const results = db.prepare<{ jobId: number }, { result: string }>(`
    SELECT result FROM window WHERE job_id = :jobId AND purpose = 'language' AND status = 'done' ORDER BY idx
  `)
  const list = db.prepare<{ jobId: number, purpose: WindowPurpose }, WindowRow & { status: string }>(`
    SELECT job_id, purpose, idx, start_sample, end_sample, gaps, speech_ms, attempt, status
    FROM window WHERE job_id = :jobId AND purpose = :purpose ORDER BY idx
  `)
  const takeBack = db.prepare(`
    UPDATE window INDEXED BY window_open
    SET status = 'queued', lease_until = NULL
    WHERE status <> 'done' AND status = 'running'
  `)

  return {
    /** The next window by fair turn: the owner served longest ago, then that owner's job served longest ago, then its first window. */
    claim (now: number, leaseUntil: number): WindowClaim | undefined {
      const job = nextJob.get({ now })
      const row = job && claim.get({ jobId: job.id, now, leaseUntil })
      return row && { ...toWindow(row), retryCount: job.retry_count }
    },
    renew: (window: WindowClaim, leaseUntil: number): void => { renew.run({ ...keyOf(window), leaseUntil }) },
    /** Marks the window done. False when this claimant has lost it: then its result must not be stored. */
    finish: (window: WindowClaim, posteriors?: readonly LanguagePosterior[]): boolean => finish.run({
      ...keyOf(window),
      result: posteriors ? JSON.stringify(posteriors) : null
    }).changes === 1,
    /** Gives a window back undone: it does not count as an attempt. */
    release: (window: WindowClaim): void => { release.run(keyOf(window)) },
    /** Notes an error and queues the window again; the number of errors so far, or undefined when the claim was lost. */
    noteError: (window: WindowClaim): number | undefined => erred.get(keyOf(window))?.errors,
    /** The bounds of a window, if it is there. */
    find (key: WindowKey): AudioWindow | undefined {
      const row = find.get(key)
      return row && toBounds(row)
    },
    insert (key: WindowKey, window: AudioWindow): void {
      insert.run({ ...key, ...window, gaps: packGaps(window), speechMs: window.speechMs ?? null })
    },
    /** Notes what came of a window. Call it in the transaction that finishes it. */
    setOutcome ({ jobId, purpose, idx }: WindowKey, { wordCount, isStarter }: { wordCount: number, isStarter: boolean }): void {
      setOutcome.run({ jobId, purpose, idx, wordCount, byStarter: isStarter ? 1 : 0 })
    },
    /** What warnings are derived from: of the windows that were transcribed. */
    readFacts (jobId: number): TranscriptFacts {
      const row = facts.get({ jobId })
      return {
        usedStarter: row?.used_starter === 1, speechMs: row?.speech_ms ?? 0, wordlessMs: row?.wordless_ms ?? 0,
        wordCount: row?.word_count ?? 0
      }
    },
    /** Removes the windows from index `idx` on. */
    removeFrom: (key: WindowKey): void => { removeFrom.run(key) },
    /** Removes the windows that are not done, and all samples of the language: decoding begins anew. */
    removeOpen: (jobId: number): void => { removeOpen.run({ jobId }) },
    /** How many windows are not done. */
    countOpen: (jobId: number, purpose: WindowPurpose): number => open.get({ jobId, purpose })?.n ?? 0,
    list: (jobId: number, purpose: WindowPurpose) => list.all({ jobId, purpose }).map((row) => ({ ...toWindow(row), status: row.status })),
    listPosteriors: (jobId: number): LanguagePosterior[][] => results.all({ jobId }).map((row) => JSON.parse(row.result) as LanguagePosterior[]),
    /** For whoever holds the work lock: queues the windows that died with another process. */
    takeBack: (): void => { takeBack.run() }
  }
}
export type WindowStore = ReturnType<typeof createWindowStore>

function keyOf ({ jobId, purpose, idx, attempt, retryCount }: WindowClaim): ClaimKey {
  return { jobId, purpose, idx, attempt, retryCount }
}
