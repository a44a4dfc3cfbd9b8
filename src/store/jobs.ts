/** Jobs and their stages. Creates a job's first work, and removes its work when it ends. */
import { SAMPLES_PER_MS } from '../domain/audio.js'
import type { FailureCode } from '../domain/errors.js'
import { STAGES } from '../domain/job.js'
import type { Job, JobOptions, JobSource, JobStatus, Stage } from '../domain/job.js'
import type { RecordingName } from '../domain/recording-name.js'
import { toLabel } from '../domain/speaker-names.js'
import type { JobWebhook } from '../domain/webhook.js'
import type { Database } from './database.js'
import { createWorkStore } from './work.js'

export type JobRow = {
  id: number, owner_id: number, status: JobStatus, stage: Stage, media_id: number, source: string | null, file_name: RecordingName
  title: RecordingName | null, tags: string, speakers: string, options: string
  heard_language: string | null, duration_ms: number | null, channels: number, done_ms: number
  failure_code: FailureCode | null, retry_count: number
  created_at: number, updated_at: number, completed_at: number | null
}

// The only definition of a job's stage: the first stage with unfinished work.
const isOpen = (stage: Stage): string => `EXISTS (SELECT 1 FROM work w WHERE w.job_id = job.id AND w.kind = '${stage}')`
const STAGE = `CASE status WHEN 'completed' THEN 'complete' ELSE CASE
    ${STAGES.map((stage) => `WHEN ${isOpen(stage)} THEN '${stage}'`).join('\n    ')}
    ELSE 'complete' END
  END`
export const JOB_COLUMNS = `id, owner_id, status, ${STAGE} AS stage, media_id, (
    SELECT json_object('url', s.shown_url, 'title', s.title, 'publishedAt', s.published_at, 'fetched', s.fetched)
    FROM source s
    WHERE s.job_id = job.id
  ) AS source, file_name, title, (
    SELECT json_group_array(name) FROM (SELECT t.name FROM tag t WHERE t.job_id = job.id ORDER BY t.idx)
  ) AS tags, (
    SELECT json_group_array(coalesce(name, number))
    FROM (SELECT p.name, p.number FROM speaker p WHERE p.job_id = job.id AND p.merged_into IS NULL ORDER BY p.number)
  ) AS speakers, options, heard_language, duration_ms, channels, done_ms,
  failure_code,
  retry_count, created_at, updated_at, completed_at`

type PackedSource = { url: string, title: RecordingName | null, publishedAt: number | null, fetched: number }

const toSource = ({ url, title, publishedAt, fetched }: PackedSource): JobSource =>
  ({ url, title: title ?? undefined, publishedAt: publishedAt ?? undefined, fetched })

export function toJob (row: JobRow): Job {
  const source = row.source === null ? undefined : JSON.parse(row.source) as PackedSource
  const options = JSON.parse(row.options) as JobOptions
  return {
    id: row.id,
    ownerId: row.owner_id,
    status: row.status,
    stage: row.stage,
    mediaId: row.media_id,
    source: source && toSource(source),
    fileName: row.file_name,
    title: row.title ?? undefined,
    tags: JSON.parse(row.tags) as string[],
    speakers: (JSON.parse(row.speakers) as Array<string | number>).map((one) => typeof one === 'number' ? toLabel(one) : one),
    options,
    language: options.language ?? row.heard_language ?? undefined,
    durationMs: row.duration_ms ?? undefined,
    channels: row.channels,
    doneMs: row.done_ms,
    failureCode: row.failure_code ?? undefined,
    retryCount: row.retry_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    completedAt: row.completed_at ?? undefined
  }
}

/** At most `limit` jobs that are older than the job with id `before`. */
export type JobPage = { ownerId: number, before: number, limit: number }
/**
 * `apiKeyId`: the key that created it, if any. `webhook`: a receiver besides the owner's endpoints. `firstStage`: 'fetch' when the
 * recording comes from a URL.
 */
export type NewJob = {
  ownerId: number, apiKeyId?: number | undefined, mediaId: number, fileName: RecordingName, options: JobOptions
  webhook?: JobWebhook | undefined, firstStage?: 'fetch' | 'decode', now: number
}

/** Moves the owner of a job to the end of a queue. */
const takeTurnIn = (column: 'last_turn' | 'last_fetch_turn' | 'last_decode_turn'): string => `
  UPDATE owner SET ${column} = (SELECT max(${column}) + 1 FROM owner)
  WHERE id = (SELECT owner_id FROM job WHERE id = :id)`

export function createJobStore (db: Database) {
  const work = createWorkStore(db)
  const insert = db.prepare(`
    INSERT INTO job (owner_id, api_key_id, status, media_id, file_name, options, webhook_url, webhook_secret, created_at, updated_at)
    VALUES (:ownerId, :apiKeyId, 'queued', :mediaId, :fileName, :options, :webhookUrl, :webhookSecret, :now, :now)
  `)
  const find = db.prepare<{ id: number }, JobRow>(`SELECT ${JOB_COLUMNS} FROM job WHERE id = :id`)
  const findOwned = db.prepare<{ id: number, ownerId: number }, JobRow>(`SELECT ${JOB_COLUMNS} FROM job WHERE id = :id AND owner_id = :ownerId`)
  const begin = db.prepare<{ id: number, now: number }>('UPDATE job SET status = \'processing\', updated_at = :now WHERE id = :id')
  const setMedia = db.prepare<{ id: number, mediaId: number, fileName: string, now: number }>(`
    UPDATE job SET media_id = :mediaId, file_name = :fileName, updated_at = :now WHERE id = :id
  `)
  const setTitle = db.prepare<{ id: number, title: string | null, now: number }>(`
    UPDATE job SET title = :title, updated_at = :now WHERE id = :id
  `)
  const touch = db.prepare<{ id: number, now: number }>('UPDATE job SET updated_at = :now WHERE id = :id')
  const startStage = db.prepare<{ id: number, stage: Stage, now: number }>(`
    INSERT INTO job_stage (job_id, stage, started_at)
    VALUES (:id, :stage, :now)
    ON CONFLICT (job_id, stage) DO NOTHING
  `)
  const finishStage = db.prepare<{ id: number, stage: Stage, now: number }>(`
    UPDATE job_stage SET finished_at = :now WHERE job_id = :id AND stage = :stage AND finished_at IS NULL
  `)
  // Audio outside unfinished windows is done: it was transcribed before, or is silent.
  const setDecoded = db.prepare<{ id: number, durationMs: number, channels: number, samplesPerMs: number, now: number }>(`
    UPDATE job
    SET duration_ms = :durationMs, channels = :channels, updated_at = :now, done_ms = :durationMs - (
      SELECT CAST(coalesce(sum(end_sample - start_sample), 0) / (:samplesPerMs * :channels) AS INTEGER)
      FROM window
      WHERE job_id = :id AND purpose = 'speech' AND word_count IS NULL
    )
    WHERE id = :id
  `)
  const setHeardLanguage = db.prepare<{ id: number, language: string, now: number }>(`
    UPDATE job SET heard_language = :language, updated_at = :now WHERE id = :id
  `)
  const addDone = db.prepare<{ id: number, doneMs: number, now: number }>(`
    UPDATE job SET done_ms = done_ms + CAST(:doneMs / channels AS INTEGER), updated_at = :now WHERE id = :id
  `)
  const complete = db.prepare<{ id: number, now: number }>(`
    UPDATE job
    SET status = 'completed', done_ms = duration_ms, updated_at = :now, completed_at = :now
    WHERE id = :id AND status = 'processing'
  `)
  const fail = db.prepare<{ id: number, code: FailureCode, now: number }>(`
    UPDATE job
    SET status = 'failed', failure_code = :code, updated_at = :now, completed_at = :now
    WHERE id = :id AND status IN ('queued', 'processing')
  `)
  const takeTurn = db.prepare<{ id: number }>(`
    UPDATE job SET last_turn = (SELECT max(last_turn) + 1 FROM owner) WHERE id = :id
  `)
  const takeOwnerTurn = db.prepare<{ id: number }>(takeTurnIn('last_turn'))
  const takeStageTurn = {
    fetch: db.prepare<{ id: number }>(takeTurnIn('last_fetch_turn')), decode: db.prepare<{ id: number }>(takeTurnIn('last_decode_turn'))
  }
  const countActive = db.prepare<[], { n: number }>(`
    SELECT count(*) AS n FROM job INDEXED BY job_active WHERE status IN ('queued', 'processing')
  `)
  const countActiveOf = db.prepare<{ ownerId: number }, { n: number }>(`
    SELECT count(*) AS n FROM job INDEXED BY job_active WHERE status IN ('queued', 'processing') AND owner_id = :ownerId
  `)
  const retry = db.prepare<{ id: number, now: number }, { run: number, kind: string }>(`
    UPDATE job
    SET status = 'queued', failure_code = NULL, retry_count = retry_count + 1, updated_at = :now, completed_at = NULL
    WHERE id = :id AND status = 'failed'
    RETURNING retry_count AS run, iif(EXISTS (SELECT 1 FROM source s WHERE s.job_id = job.id), 'fetch', 'decode') AS kind
  `)
  const forgetRun = db.prepare<{ id: number }>(`
    UPDATE job SET heard_language = NULL, duration_ms = NULL, channels = 1, done_ms = 0 WHERE id = :id
  `)
  const removeStages = db.prepare<{ id: number }>('DELETE FROM job_stage WHERE job_id = :id')
  // uses job_by_owner
  const listOwned = db.prepare<JobPage, JobRow>(`
    SELECT ${JOB_COLUMNS}
    FROM job
    WHERE owner_id = :ownerId AND id < :before
    ORDER BY id DESC
    LIMIT :limit
  `)
  // uses job_by_owner_status
  const listOwnedIn = db.prepare<JobPage & { status: JobStatus }, JobRow>(`
    SELECT ${JOB_COLUMNS}
    FROM job
    WHERE owner_id = :ownerId AND status = :status AND id < :before
    ORDER BY id DESC
    LIMIT :limit
  `)
  // uses job_ended
  const endedBefore = db.prepare<{ ownerId: number, before: number, limit: number }, { id: number }>(`
    SELECT id
    FROM job
    WHERE owner_id = :ownerId AND completed_at IS NOT NULL AND completed_at <= :before
    ORDER BY completed_at
    LIMIT :limit
  `)
  const remove = db.prepare<{ id: number }>('DELETE FROM job WHERE id = :id')
  const stages = db.prepare<{ id: number }, { stage: Stage, started_at: number, finished_at: number | null }>(`
    SELECT stage, started_at, finished_at FROM job_stage WHERE job_id = :id ORDER BY started_at, stage
  `)

  return {
    /** Stores a queued job and its first piece of work. Returns its id. */
    insert ({ webhook, firstStage = 'decode', ...job }: NewJob): number {
      const id = Number(insert.run({
        ...job,
        apiKeyId: job.apiKeyId ?? null,
        options: JSON.stringify(job.options),
        webhookUrl: webhook?.url ?? null,
        webhookSecret: webhook?.secret ?? null
      }).lastInsertRowid)
      work.insert({ kind: firstStage, jobId: id, run: 0 })
      return id
    },
    find (id: number): Job | undefined {
      const row = find.get({ id })
      return row && toJob(row)
    },
    findOwned (id: number, ownerId: number): Job | undefined {
      const row = findOwned.get({ id, ownerId })
      return row && toJob(row)
    },
    /**
     * Marks the job as processing and records the start of a stage. Call it when the stage's work is claimed. Moves the owner to the end of
     * the queue for this stage, if it has one.
     */
    begin (id: number, stage: Stage, now: number): void {
      begin.run({ id, now })
      if (stage === 'fetch' || stage === 'decode') takeStageTurn[stage].run({ id })
      startStage.run({ id, stage, now })
    },
    /** Stores the fetched media and its name, and ends the fetch stage. */
    finishFetch (id: number, mediaId: number, fileName: string, now: number): void {
      setMedia.run({ id, mediaId, fileName, now })
      finishStage.run({ id, stage: 'fetch', now })
    },
    /** Undefined: as the recording was named. */
    setTitle: (id: number, title: RecordingName | undefined, now: number): void => { setTitle.run({ id, title: title ?? null, now }) },
    /** Sets the time of the last change. */
    touch: (id: number, now: number): void => { touch.run({ id, now }) },
    /** Records the time at which one stage ended and the next one began. */
    enterStage (id: number, from: Stage, stage: Stage, now: number): void {
      finishStage.run({ id, stage: from, now })
      touch.run({ id, now })
      startStage.run({ id, stage, now })
    },
    /**
     * Stores the length of the recording, how many channels are transcribed one by one, and how much is already done. Call it when all
     * windows are stored.
     */
    setDecoded (id: number, durationMs: number, now: number, channels = 1): void {
      setDecoded.run({ id, durationMs, channels, samplesPerMs: SAMPLES_PER_MS, now })
    },
    /** Stores the detected language. Call it only when the caller did not name one. */
    setHeardLanguage: (id: number, language: string, now: number): void => { setHeardLanguage.run({ id, language, now }) },
    /** Adds to the progress, in ms of one channel. */
    addDone: (id: number, doneMs: number, now: number): void => { addDone.run({ id, doneMs, now }) },
    /** Completes the job and removes its work. False when the job was no longer being processed. */
    complete (id: number, now: number): boolean {
      if (complete.run({ id, now }).changes === 0) return false
      work.removeRun(id)
      finishStage.run({ id, stage: 'transcribe', now })
      finishStage.run({ id, stage: 'complete', now })
      return true
    },
    /** Fails the job and ends its work. False when the job had already ended. */
    fail (id: number, code: FailureCode, now: number): boolean {
      if (fail.run({ id, code, now }).changes === 0) return false
      work.failRun(id)
      return true
    },
    /** Moves the job and its owner to the end of their queues, because they have just been served. */
    takeTurn (id: number): void {
      takeOwnerTurn.run({ id })
      takeTurn.run({ id })
    },
    /** Queues a failed job again from its first stage. Finished windows and the progress are retained. */
    retry (id: number, now: number): void {
      const first = retry.get({ id, now })
      if (!first) return
      removeStages.run({ id })
      work.removeRun(id)
      work.insert({ ...first, jobId: id })
    },
    /** Clears the results of earlier runs: detected language, length and progress. */
    forgetRun: (id: number): void => { forgetRun.run({ id }) },
    /** An owner's jobs, newest first. `status`: only jobs with this status. */
    listOwned: (page: JobPage, status?: JobStatus): Job[] =>
      (status === undefined ? listOwned.all(page) : listOwnedIn.all({ ...page, status })).map(toJob),
    /** Ids of an owner's jobs that ended at or before `before`, oldest end first. */
    listEndedBefore: (ownerId: number, before: number, limit: number): number[] =>
      endedBefore.all({ ownerId, before, limit }).map(({ id }) => id),
    /** Removes a job and every row that belongs to it. Rows of its media and its upload stay. */
    remove: (id: number): void => { remove.run({ id }) },
    /** The number of jobs that have not ended. */
    countActive: (): number => countActive.get()?.n ?? 0,
    countActiveOf: (ownerId: number): number => countActiveOf.get({ ownerId })?.n ?? 0,
    listStages: (id: number) => stages.all({ id })
      .map(({ stage, started_at: startedAt, finished_at: finishedAt }) => ({ stage, startedAt, finishedAt: finishedAt ?? undefined }))
  }
}
export type JobStore = ReturnType<typeof createJobStore>
