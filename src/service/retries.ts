/** Failed jobs, once more. */
import { BYTES_PER_SAMPLE, SAMPLES_PER_MS } from '../domain/audio.js'
import { AppError } from '../domain/errors.js'
import { whyNotRetryable } from '../domain/job.js'
import type { Job } from '../domain/job.js'
import type { InTransaction } from '../store/database.js'
import type { Files } from '../store/files.js'
import type { JobStore } from '../store/jobs.js'
import type { MediaStore } from '../store/media.js'
import type { SourceStore } from '../store/sources.js'
import type { TranscriptStore } from '../store/transcripts.js'
import type { WindowStore } from '../store/windows.js'
import type { Ingest } from './ingest.js'
import { findOwnedJob } from './transcripts.js'

type Deps = {
  jobs: JobStore
  sources: Pick<SourceStore, 'restart'>
  windows: Pick<WindowStore, 'removeFrom' | 'removeOpen'>
  transcripts: Pick<TranscriptStore, 'removeFrom' | 'setSkipped'>
  media: Pick<MediaStore, 'find'>
  files: Pick<Files, 'hasMedia'>
  ingest: Pick<Ingest, 'requireRoom' | 'requireQueueRoom'>
  inTransaction: InTransaction
  now: () => number
}

const GONE = 'The recording is not stored any more. Upload it again.'
const USED = 'The job has been retried as often as it may be. Upload the recording again.'

export function createRetries ({ jobs, sources, windows, transcripts, media, files, ingest, inTransaction, now }: Deps) {
  const queuedListeners: Array<() => void> = []

  /** Whether what the job was made of is still there; an address always may be. */
  function hasSource ({ mediaId, source }: Job): boolean {
    const stored = media.find(mediaId)
    return source !== undefined || (stored?.state === 'stored' && files.hasMedia(stored.file))
  }

  /** An address is fetched again and may serve another recording by now, so nothing of the earlier run stays. */
  function dropRun (jobId: number): void {
    if (!sources.restart(jobId)) return windows.removeOpen(jobId)
    for (const purpose of ['speech', 'language'] as const) windows.removeFrom({ jobId, purpose, idx: 0 })
    transcripts.removeFrom(jobId, 0)
    transcripts.setSkipped(jobId, [])
    jobs.forgetRun(jobId)
  }

  const refusalOf = (job: Job): ReturnType<typeof whyNotRetryable> => whyNotRetryable(job, () => hasSource(job))

  function requireRetryable (job: Job): void {
    const refusal = refusalOf(job)
    if (refusal === 'source_gone') throw new AppError('gone', GONE)
    if (refusal === 'retries_used') throw new AppError('conflict', USED)
    if (refusal) throw new AppError('conflict', `The job is ${job.status}: only a failed one can be retried.`)
  }

  return {
    isRetryable: (job: Job): boolean => refusalOf(job) === undefined,
    /**
     * Queues a failed job again: an address is fetched again; of a stored recording the windows that are done stay done. Throws `not_found`, `conflict` (not failed,
     * or retried too often), `gone`, `queue_full`, `insufficient_storage`.
     */
    async retry (id: number, ownerId: number): Promise<Job> {
      const failed = findOwnedJob(jobs, id, ownerId)
      requireRetryable(failed)
      await ingest.requireRoom((failed.durationMs ?? 0) * SAMPLES_PER_MS * BYTES_PER_SAMPLE)
      const queued = inTransaction(() => {
        // Asked again: another may have retried it meanwhile.
        requireRetryable(findOwnedJob(jobs, id, ownerId))
        ingest.requireQueueRoom()
        dropRun(id)
        jobs.retry(id, now())
        return findOwnedJob(jobs, id, ownerId)
      })
      for (const listener of queuedListeners) listener()
      return queued
    },
    /** Calls `listener` whenever a job has been queued again. */
    onQueued (listener: () => void): void {
      queuedListeners.push(listener)
    }
  }
}
export type Retries = ReturnType<typeof createRetries>
