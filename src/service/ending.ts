/** Completes and fails jobs. The end of a job and its webhook deliveries are stored in one transaction. */
import { failureCodeOf } from '../domain/errors.js'
import type { FailureCode } from '../domain/errors.js'
import { hasEnded } from '../domain/job.js'
import type { Job } from '../domain/job.js'
import type { Log } from '../domain/log.js'
import { SpeechError } from '../domain/speech-error.js'
import { dayAt, monthAt } from '../domain/usage.js'
import type { WorkClaim } from '../domain/work.js'
import type { InTransaction } from '../store/database.js'
import type { Files } from '../store/files.js'
import type { JobStore } from '../store/jobs.js'
import type { UsageStore } from '../store/usage.js'
import type { WorkOrders } from '../store/work-orders.js'
import type { WorkStore } from '../store/work.js'
import type { Deliveries } from './deliveries.js'
import type { Queue } from './queue.js'
import type { Retention } from './retention.js'

export type EndingDeps = {
  jobs: Pick<JobStore, 'find' | 'complete' | 'fail'>
  work: Pick<WorkStore, 'insert' | 'isClaim' | 'hasOpen' | 'listExhausted'>
  orders: Pick<WorkOrders, 'oldest'>
  queue: Pick<Queue, 'claim'>
  usage: Pick<UsageStore, 'addAudio' | 'addAudioOfDay'>
  files: Pick<Files, 'removeWork' | 'listUntouched'>
  deliveries: Pick<Deliveries, 'enqueue'>
  retention: Pick<Retention, 'release'>
  inTransaction: InTransaction
  now: () => number
  log: Log
}

/** One run of a job. A retry begins another run. */
export type Run = Pick<Job, 'id' | 'retryCount'>

/** The failure code for an error of a step that uses the speech engine. */
export function stepFailureCode (error: unknown): FailureCode {
  return error instanceof SpeechError && error.code !== 'aborted' && error.code !== 'audio_missing' ? error.code : failureCodeOf(error)
}

export function createEnding (deps: EndingDeps) {
  const { jobs, work, orders, queue, usage, files, deliveries, retention, inTransaction, now, log } = deps
  const listeners: Array<(jobId: number) => void> = []

  function tell (jobId: number): void {
    for (const listener of listeners) listener(jobId)
  }

  /** True when this run is over: the job has ended, was removed, or was retried since. */
  function isOver ({ id, retryCount }: Run): boolean {
    const job = jobs.find(id)
    return !job || hasEnded(job) || job.retryCount !== retryCount
  }

  /** Ends a job unless it has already ended, and stores its webhook deliveries in the same transaction. */
  function end (jobId: number, ending: () => boolean): boolean {
    return inTransaction(() => {
      if (!ending()) return false
      deliveries.enqueue(jobId)
      return true
    })
  }

  /** Completes a job, counts its audio and queues what is prepared afterwards. A second call changes nothing. */
  function completeAndCount (jobId: number): boolean {
    if (!jobs.complete(jobId, now())) return false
    work.insert({ kind: 'artifact', jobId, run: undefined })
    const { ownerId, durationMs = 0 } = jobs.find(jobId) ?? {}
    if (ownerId === undefined) return true
    usage.addAudio(ownerId, monthAt(now()).startMs, durationMs)
    usage.addAudioOfDay(ownerId, dayAt(now()).startMs, durationMs)
    return true
  }

  /**
   * Removes files that a step wrote after its job had ended and its files had been removed. They stay while the speakers of a completed job
   * are identified again.
   */
  async function removeEnded (jobId: number): Promise<void> {
    const job = jobs.find(jobId)
    if (!job || (hasEnded(job) && !work.hasOpen({ jobId, kind: 'speakers' }))) await files.removeWork(jobId)
  }

  /** Ends the job as failed, unless the run is over. */
  async function fail (run: Run, code: FailureCode, cause: unknown): Promise<void> {
    const { id: jobId } = run
    if (isOver(run)) return
    // Files are removed first: on a full disk, that frees the space in which the failure is stored.
    await files.removeWork(jobId)
    if (!end(jobId, () => !isOver(run) && jobs.fail(jobId, code, now()))) return
    log.warn({ jobId, code, err: cause }, 'transcription failed')
    tell(jobId)
    await retention.release(jobId)
  }

  /** Removes working files of jobs that have ended or were removed. */
  async function sweep (): Promise<void> {
    for (const name of await files.listUntouched('work', Infinity)) await removeEnded(Number(name))
  }

  return {
    removeEnded,
    fail,
    sweep,
    /** Claims the next job for its last step. */
    claim: (): WorkClaim | undefined => queue.claim({ kinds: ['complete'], next: () => orders.oldest('complete') }),
    /** Ends the job as completed, unless the claim was lost. */
    async complete (claim: WorkClaim): Promise<void> {
      const { jobId } = claim
      if (!end(jobId, () => work.isClaim(claim) && completeAndCount(jobId))) return
      log.info({ jobId }, 'transcription completed')
      tell(jobId)
      await retention.release(jobId)
      // Its owner may have asked to identify its speakers again already.
      await removeEnded(jobId)
    },
    /** Runs after start-up: fails jobs that crash the process every time, and removes files that jobs left on disk. */
    async recover (): Promise<void> {
      for (const run of work.listExhausted()) await fail(run, 'worker_crashed', new Error('begun too often without finishing'))
      await sweep()
    },
    /** Calls `listener` with the id of each job that completes or fails. */
    onEnded (listener: (jobId: number) => void): void {
      listeners.push(listener)
    }
  }
}
export type Ending = ReturnType<typeof createEnding>
