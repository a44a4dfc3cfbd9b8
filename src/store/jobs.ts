/** Jobs: rows, stages, and the claim of the decode step. Windows, the other claims, are in `windows.ts`. */
import { SAMPLES_PER_MS } from '../domain/audio.js'
import type { FailureCode } from '../domain/errors.js'
import { MAX_ATTEMPTS } from '../domain/job.js'
import type { Job, JobOptions, JobSource, JobStatus, Stage } from '../domain/job.js'
import type { JobWebhook } from '../domain/webhook.js'
import type { Database } from './database.js'

type JobRow = {
  id: number, owner_id: number, status: JobStatus, stage: Stage, media_id: number, source: string | null, file_name: string
  options: string
  heard_language: string | null, duration_ms: number | null, done_ms: number, failure_code: FailureCode | null, retry_count: number
  created_at: number, updated_at: number, completed_at: number | null
}
const COLUMNS = `id, owner_id, status, stage, media_id, (
    SELECT json_object('url', s.shown_url, 'title', s.title, 'publishedAt', s.published_at, 'fetched', s.fetched, 'isOpen', s.fetched_at IS NULL)
    FROM source s
    WHERE s.job_id = job.id
  ) AS source, file_name, options, heard_language, duration_ms, done_ms, failure_code,
  retry_count, created_at, updated_at, completed_at`

type PackedSource = { url: string, title: string | null, publishedAt: number | null, fetched: number, isOpen: number }

const toSource = ({ url, title, publishedAt, fetched }: PackedSource): JobSource =>
  ({ url, title: title ?? undefined, publishedAt: publishedAt ?? undefined, fetched })

function toJob (row: JobRow): Job {
  const source = row.source === null ? undefined : JSON.parse(row.source) as PackedSource
  const options = JSON.parse(row.options) as JobOptions
  return {
    id: row.id,
    ownerId: row.owner_id,
    status: row.status,
    stage: source?.isOpen ? 'fetch' : row.stage,
    mediaId: row.media_id,
    source: source && toSource(source),
    fileName: row.file_name,
    options,
    language: options.language ?? row.heard_language ?? undefined,
    durationMs: row.duration_ms ?? undefined,
    doneMs: row.done_ms,
    failureCode: row.failure_code ?? undefined,
    retryCount: row.retry_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    completedAt: row.completed_at ?? undefined
  }
}

/** At most `limit` jobs older than the job `before`. */
export type JobPage = { ownerId: number, before: number, limit: number }
/** `apiKeyId`: the key it was made with, if any; `webhook`: where its end is told besides the owner's endpoints. */
export type NewJob = { ownerId: number, apiKeyId?: number | undefined, mediaId: number, fileName: string, options: JobOptions, webhook?: JobWebhook | undefined, now: number }
/** The right to decode a job's media until `leaseUntil`, under an attempt number that no later claimant shares. */
export type DecodeClaim = { job: Job, attempt: number }
/**
 * What a claim may take: media up to a size, while fewer jobs than these have begun to decode and not ended, on the appliance and of the
 * owner. An owner with none of them may always begin one.
 */
export type ClaimLimits = { maxBytes: number, maxActive: number, maxPerOwner: number }

export function createJobStore (db: Database) {
  const insert = db.prepare(`
    INSERT INTO job (owner_id, api_key_id, status, stage, media_id, file_name, options, webhook_url, webhook_secret, created_at, updated_at)
    VALUES (:ownerId, :apiKeyId, 'queued', 'decode', :mediaId, :fileName, :options, :webhookUrl, :webhookSecret, :now, :now)
  `)
  const find = db.prepare<{ id: number }, JobRow>(`SELECT ${COLUMNS} FROM job WHERE id = :id`)
  const findOwned = db.prepare<{ id: number, ownerId: number }, JobRow>(`SELECT ${COLUMNS} FROM job WHERE id = :id AND owner_id = :ownerId`)
  // A job that is only being fetched has no decoded sound on disk, and takes nobody's place.
  const hasBegun = (job: string): string => `${job}.status = 'processing' AND EXISTS (SELECT 1 FROM job_stage g WHERE g.job_id = ${job}.id AND g.stage = 'decode')`
  // uses job_active. A decode is claimable when queued, or when its claimant's lease ran out.
  const claimDecode = db.prepare<ClaimLimits & { now: number, leaseUntil: number }, JobRow & { decode_attempt: number }>(`
    UPDATE job
    SET status = 'processing', decode_attempt = decode_attempt + 1, decode_lease_until = :leaseUntil, updated_at = :now
    WHERE id = (
      SELECT j.id
      FROM job j JOIN owner o ON o.id = j.owner_id JOIN media m ON m.id = j.media_id
      WHERE j.status IN ('queued', 'processing') AND j.stage = 'decode'
        AND (j.decode_lease_until IS NULL OR j.decode_lease_until <= :now)
        AND m.size_bytes <= :maxBytes
        AND NOT EXISTS (SELECT 1 FROM source s WHERE s.job_id = j.id AND s.fetched_at IS NULL)
        AND ((${hasBegun('j')}) OR NOT EXISTS (
          SELECT 1 FROM job p WHERE ${hasBegun('p')} AND p.owner_id = j.owner_id
        ) OR (
          (SELECT count(*) FROM job p WHERE ${hasBegun('p')}) < :maxActive
          AND (SELECT count(*) FROM job p WHERE ${hasBegun('p')} AND p.owner_id = j.owner_id) < :maxPerOwner
        ))
      ORDER BY o.last_turn, j.id
      LIMIT 1
    )
    RETURNING ${COLUMNS}, decode_attempt
  `)
  const renewDecode = db.prepare<{ id: number, attempt: number, leaseUntil: number }>(`
    UPDATE job SET decode_lease_until = :leaseUntil
    WHERE id = :id AND decode_attempt = :attempt AND stage = 'decode'
  `)
  const releaseDecode = db.prepare<{ id: number, attempt: number }>(`
    UPDATE job SET decode_lease_until = NULL, decode_attempt = decode_attempt - 1
    WHERE id = :id AND decode_attempt = :attempt AND stage = 'decode'
  `)
  const isDecodeClaim = db.prepare<{ id: number, attempt: number }, { id: number }>(`
    SELECT id FROM job WHERE id = :id AND decode_attempt = :attempt AND stage = 'decode' AND status = 'processing'
  `)
  const begin = db.prepare<{ id: number, now: number }>('UPDATE job SET status = \'processing\', updated_at = :now WHERE id = :id')
  const setMedia = db.prepare<{ id: number, mediaId: number, fileName: string, now: number }>(`
    UPDATE job SET media_id = :mediaId, file_name = :fileName, updated_at = :now WHERE id = :id
  `)
  const touch = db.prepare<{ id: number, now: number }>('UPDATE job SET updated_at = :now WHERE id = :id')
  const setStage = db.prepare<{ id: number, stage: Stage, now: number }>('UPDATE job SET stage = :stage, decode_lease_until = NULL, updated_at = :now WHERE id = :id')
  const startStage = db.prepare<{ id: number, stage: Stage, now: number }>(`
    INSERT INTO job_stage (job_id, stage, started_at)
    VALUES (:id, :stage, :now)
    ON CONFLICT (job_id, stage) DO NOTHING
  `)
  const finishStage = db.prepare<{ id: number, stage: Stage, now: number }>(`
    UPDATE job_stage SET finished_at = :now WHERE job_id = :id AND stage = :stage AND finished_at IS NULL
  `)
  // What no open window covers is done: transcribed before, or silent.
  const setDecoded = db.prepare<{ id: number, durationMs: number, samplesPerMs: number, now: number }>(`
    UPDATE job
    SET duration_ms = :durationMs, updated_at = :now, done_ms = :durationMs - (
      SELECT CAST(coalesce(sum(end_sample - start_sample), 0) / :samplesPerMs AS INTEGER)
      FROM window
      WHERE job_id = :id AND purpose = 'speech' AND status <> 'done'
    )
    WHERE id = :id
  `)
  const setHeardLanguage = db.prepare<{ id: number, language: string, now: number }>('UPDATE job SET heard_language = :language, updated_at = :now WHERE id = :id')
  const addDone = db.prepare<{ id: number, doneMs: number, now: number }>('UPDATE job SET done_ms = done_ms + :doneMs, updated_at = :now WHERE id = :id')
  const complete = db.prepare<{ id: number, now: number }>(`
    UPDATE job
    SET status = 'completed', stage = 'complete', done_ms = duration_ms, updated_at = :now, completed_at = :now
    WHERE id = :id AND status = 'processing'
  `)
  const fail = db.prepare<{ id: number, code: FailureCode, now: number }>(`
    UPDATE job
    SET status = 'failed', failure_code = :code, decode_lease_until = NULL, updated_at = :now, completed_at = :now
    WHERE id = :id AND status IN ('queued', 'processing')
  `)
  const takeTurn = db.prepare<{ id: number }>(`
    UPDATE job SET last_turn = (SELECT max(last_turn) + 1 FROM owner) WHERE id = :id
  `)
  const takeOwnerTurn = db.prepare<{ id: number }>(`
    UPDATE owner SET last_turn = (SELECT max(last_turn) + 1 FROM owner)
    WHERE id = (SELECT owner_id FROM job WHERE id = :id)
  `)
  const takeBackDecodes = db.prepare(`
    UPDATE job SET decode_lease_until = NULL WHERE status = 'processing' AND stage = 'decode'
  `)
  const exhausted = db.prepare<[], { id: number, retryCount: number }>(`
    SELECT j.id, j.retry_count AS retryCount FROM job j
    WHERE j.status = 'processing' AND (
      (j.stage = 'decode' AND j.decode_attempt - j.decode_attempt_base >= ${MAX_ATTEMPTS})
      OR EXISTS (SELECT 1 FROM source s WHERE s.job_id = j.id AND s.fetched_at IS NULL AND s.attempt >= ${MAX_ATTEMPTS} * (j.retry_count + 1))
      OR EXISTS (
        SELECT 1 FROM window w INDEXED BY window_open
        WHERE w.job_id = j.id AND w.status <> 'done' AND w.status = 'queued' AND w.attempt >= ${MAX_ATTEMPTS}
      )
    )
  `)
  const active = db.prepare<[], { id: number }>('SELECT id FROM job INDEXED BY job_active WHERE status IN (\'queued\', \'processing\')')
  const countActive = db.prepare<[], { n: number }>(`
    SELECT count(*) AS n FROM job INDEXED BY job_active WHERE status IN ('queued', 'processing')
  `)
  const retry = db.prepare<{ id: number, now: number }>(`
    UPDATE job
    SET status = 'queued', stage = 'decode', decode_lease_until = NULL, decode_attempt_base = decode_attempt, failure_code = NULL,
      retry_count = retry_count + 1, updated_at = :now, completed_at = NULL
    WHERE id = :id AND status = 'failed'
  `)
  const forgetRun = db.prepare<{ id: number }>('UPDATE job SET heard_language = NULL, duration_ms = NULL, done_ms = 0 WHERE id = :id')
  const removeStages = db.prepare<{ id: number }>('DELETE FROM job_stage WHERE job_id = :id')
  // uses job_by_owner
  const listOwned = db.prepare<JobPage, JobRow>(`
    SELECT ${COLUMNS}
    FROM job
    WHERE owner_id = :ownerId AND id < :before
    ORDER BY id DESC
    LIMIT :limit
  `)
  // uses job_by_owner_status
  const listOwnedIn = db.prepare<JobPage & { status: JobStatus }, JobRow>(`
    SELECT ${COLUMNS}
    FROM job
    WHERE owner_id = :ownerId AND status = :status AND id < :before
    ORDER BY id DESC
    LIMIT :limit
  `)
  const remove = db.prepare<{ id: number }>('DELETE FROM job WHERE id = :id')
  const stages = db.prepare<{ id: number }, { stage: Stage, started_at: number, finished_at: number | null }>(`
    SELECT stage, started_at, finished_at FROM job_stage WHERE job_id = :id ORDER BY started_at, stage
  `)

  return {
    insert: ({ webhook, ...job }: NewJob): number => Number(insert.run({
      ...job,
      apiKeyId: job.apiKeyId ?? null,
      options: JSON.stringify(job.options),
      webhookUrl: webhook?.url ?? null,
      webhookSecret: webhook?.secret ?? null
    }).lastInsertRowid),
    find (id: number): Job | undefined {
      const row = find.get({ id })
      return row && toJob(row)
    },
    findOwned (id: number, ownerId: number): Job | undefined {
      const row = findOwned.get({ id, ownerId })
      return row && toJob(row)
    },
    /** Claims the decode of the next job, the owner served longest ago first. Jobs already begun come back whatever else is running. */
    claimDecode (now: number, leaseUntil: number, limits: ClaimLimits): DecodeClaim | undefined {
      const row = claimDecode.get({ now, leaseUntil, ...limits })
      if (!row) return undefined
      startStage.run({ id: row.id, stage: 'decode', now })
      return { job: toJob(row), attempt: row.decode_attempt }
    },
    /** Notes that the job's media is being fetched. */
    beginFetch (id: number, now: number): void {
      begin.run({ id, now })
      startStage.run({ id, stage: 'fetch', now })
    },
    /** Ends the stage of fetching with what it brought. */
    finishFetch (id: number, mediaId: number, fileName: string, now: number): void {
      setMedia.run({ id, mediaId, fileName, now })
      finishStage.run({ id, stage: 'fetch', now })
    },
    /** Notes that something of the job has changed. */
    touch: (id: number, now: number): void => { touch.run({ id, now }) },
    renewDecode: (id: number, attempt: number, leaseUntil: number): void => { renewDecode.run({ id, attempt, leaseUntil }) },
    /** Gives a decode back undone: it does not count as an attempt. */
    releaseDecode: (id: number, attempt: number): void => { releaseDecode.run({ id, attempt }) },
    /** True while nobody else has claimed the decode since, and the job has not ended. */
    isDecodeClaim: (id: number, attempt: number): boolean => isDecodeClaim.get({ id, attempt }) !== undefined,
    /** Ends the current stage and begins `stage`. */
    enterStage (id: number, from: Stage, stage: Stage, now: number): void {
      finishStage.run({ id, stage: from, now })
      setStage.run({ id, stage, now })
      startStage.run({ id, stage, now })
    },
    /** Notes the length, and what of it is done already. Call it when all windows are stored. */
    setDecoded: (id: number, durationMs: number, now: number): void => { setDecoded.run({ id, durationMs, samplesPerMs: SAMPLES_PER_MS, now }) },
    /** Stores the language that was detected. Call it only for a job whose caller named none. */
    setHeardLanguage: (id: number, language: string, now: number): void => { setHeardLanguage.run({ id, language, now }) },
    addDone: (id: number, doneMs: number, now: number): void => { addDone.run({ id, doneMs, now }) },
    /** False when the job was not being processed any more. */
    complete (id: number, now: number): boolean {
      if (complete.run({ id, now }).changes === 0) return false
      finishStage.run({ id, stage: 'transcribe', now })
      finishStage.run({ id, stage: 'complete', now })
      return true
    },
    /** False when the job had ended before. */
    fail: (id: number, code: FailureCode, now: number): boolean => fail.run({ id, code, now }).changes === 1,
    /** Notes that the job and its owner have just been served: both go to the end of their line. */
    takeTurn (id: number): void {
      takeOwnerTurn.run({ id })
      takeTurn.run({ id })
    },
    /** For whoever holds the work lock: frees the decodes of processes that died. */
    takeBackDecodes: (): void => { takeBackDecodes.run() },
    /** Queues a failed job again, at its first stage. The windows that are done, and with them the progress, stay. */
    retry (id: number, now: number): void {
      if (retry.run({ id, now }).changes === 1) removeStages.run({ id })
    },
    /** Clears what earlier runs found out about the recording: its language, its length and the progress. */
    forgetRun: (id: number): void => { forgetRun.run({ id }) },
    /** An owner's jobs, newest first; `status`: only those in it. */
    listOwned: (page: JobPage, status?: JobStatus): Job[] =>
      (status === undefined ? listOwned.all(page) : listOwnedIn.all({ ...page, status })).map(toJob),
    /** Removes a job and all that is in the database of it; its media and its upload have rows of their own. */
    remove: (id: number): void => { remove.run({ id }) },
    /** How many jobs have not ended. */
    countActive: (): number => countActive.get()?.n ?? 0,
    /** Jobs whose fetch, decode or some window has been begun MAX_ATTEMPTS times without coming to an end. */
    listExhausted: (): Array<Pick<Job, 'id' | 'retryCount'>> => exhausted.all(),
    /** Jobs that have not ended. */
    listActive: (): number[] => active.all().map((row) => row.id),
    listStages: (id: number) => stages.all({ id }).map((row) => ({ stage: row.stage, startedAt: row.started_at, finishedAt: row.finished_at ?? undefined }))
  }
}
export type JobStore = ReturnType<typeof createJobStore>
