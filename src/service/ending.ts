/** The end of a job, either way: once, written down together with whom to tell of it. */
import type { FailureCode } from '../domain/errors.js'
import { hasEnded } from '../domain/job.js'
import type { Job } from '../domain/job.js'
import type { Log } from '../domain/log.js'
import { monthAt } from '../domain/usage.js'
import type { InTransaction } from '../store/database.js'
import type { Files } from '../store/files.js'
import type { JobStore } from '../store/jobs.js'
import type { UsageStore } from '../store/usage.js'
import type { Deliveries } from './deliveries.js'
import type { Retention } from './retention.js'

export type EndingDeps = {
  jobs: Pick<JobStore, 'find' | 'complete' | 'fail'>
  usage: Pick<UsageStore, 'addAudio'>
  files: Pick<Files, 'removeWork'>
  deliveries: Pick<Deliveries, 'enqueue'>
  retention: Pick<Retention, 'release'>
  inTransaction: InTransaction
  now: () => number
  log: Log
}

/** One run of a job; a retry begins another. */
export type Run = Pick<Job, 'id' | 'retryCount'>

export function createEnding ({ jobs, usage, files, deliveries, retention, inTransaction, now, log }: EndingDeps) {
  const listeners: Array<(jobId: number) => void> = []

  function tell (jobId: number): void {
    for (const listener of listeners) listener(jobId)
  }

  /** Whether this run of the job has ended: the job too, or removed, or retried since. */
  function isOver ({ id, retryCount }: Run): boolean {
    const job = jobs.find(id)
    return !job || hasEnded(job) || job.retryCount !== retryCount
  }

  /** Ends a job, unless it has ended, and writes down in the same transaction whom to tell: who knows of an end will hear of it. */
  function end (jobId: number, ending: () => boolean): boolean {
    return inTransaction(() => {
      if (!ending()) return false
      deliveries.enqueue(jobId)
      return true
    })
  }

  /** Completes a job and counts its audio, once: whoever comes second finds it completed. Failed jobs cost nothing. */
  function completeAndCount (jobId: number): boolean {
    if (!jobs.complete(jobId, now())) return false
    const { ownerId, durationMs = 0 } = jobs.find(jobId) ?? {}
    if (ownerId !== undefined) usage.addAudio(ownerId, monthAt(now()).startMs, durationMs)
    return true
  }

  return {
    isOver,
    /** Removes what a step wrote after the end of its job, when the place had been cleared. */
    async removeEnded (jobId: number): Promise<void> {
      const job = jobs.find(jobId)
      if (!job || hasEnded(job)) await files.removeWork(jobId)
    },
    /** Ends the job as failed, unless the run is over. */
    async fail (run: Run, code: FailureCode, cause: unknown): Promise<void> {
      const { id: jobId } = run
      if (isOver(run)) return
      // First the files: on a full disk they make the room in which the failure can be written down.
      await files.removeWork(jobId)
      if (!end(jobId, () => !isOver(run) && jobs.fail(jobId, code, now()))) return
      log.warn({ jobId, code, err: cause }, 'transcription failed')
      tell(jobId)
      await retention.release(jobId)
    },
    /** Ends the job as completed, unless it has ended. */
    async complete (jobId: number): Promise<void> {
      if (!end(jobId, () => completeAndCount(jobId))) return
      log.info({ jobId }, 'transcription completed')
      tell(jobId)
      await files.removeWork(jobId)
      await retention.release(jobId)
    },
    /** Calls `listener` with the id of each job that has ended, either way. */
    onEnded (listener: (jobId: number) => void): void {
      listeners.push(listener)
    }
  }
}
