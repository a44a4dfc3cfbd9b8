/** What the administrator sees of the work of all owners: the queue and failed jobs. Ids and owners, never what recordings are called. */
import type { FailureCode } from '../domain/errors.js'
import { jobProgress } from '../domain/job.js'
import type { Job, Stage } from '../domain/job.js'
import type { JobStore } from '../store/jobs.js'
import type { MetricsStore, WorkCount } from '../store/metrics.js'
import type { JobOfOwner, OverviewStore, RunningWork } from '../store/overview.js'
import type { Retries } from './retries.js'

/**
 * A job in the queue, or work on one that has ended. `state`: `running` while a piece of its work runs. `kind`: what runs. `startedAt`:
 * when its stage began, in ms since 1970.
 */
export type QueuedJob = {
  jobId: number, ownerId: number, ownerName: string, kind: string | undefined, stage: Stage, state: 'running' | 'waiting'
  pieces: number, startedAt: number, progress: number
}
/** `work`: pieces by kind and state. */
export type QueueView = { jobs: QueuedJob[], counts: { queued: number, processing: number, work: WorkCount[] } }

export type FailedJob = {
  id: number, ownerId: number, ownerName: string, code: FailureCode, stage: Stage, at: number, retryCount: number
  isRetryable: boolean
}

type Deps = {
  overview: OverviewStore
  jobs: Pick<JobStore, 'find'>
  metrics: Pick<MetricsStore, 'countJobs' | 'countWork'>
  retries: Pick<Retries, 'isRetryable'>
}

export function createOverview ({ overview, jobs, metrics, retries }: Deps) {
  /** Undefined when it was removed meanwhile. */
  function findJob (id: number): { job: Job, owned: JobOfOwner } | undefined {
    const [job, owned] = [jobs.find(id), overview.find(id)]
    return job && owned && { job, owned }
  }

  function toQueued (id: number, running: readonly RunningWork[]): QueuedJob[] {
    const found = findJob(id)
    if (!found) return []
    const { job, owned: { ownerId, ownerName, since } } = found
    const [first] = running
    return [{
      jobId: id, ownerId, ownerName, kind: first?.kind, stage: job.stage, state: first ? 'running' : 'waiting',
      pieces: running.reduce((sum, { pieces }) => sum + pieces, 0), startedAt: since, progress: jobProgress(job)
    }]
  }

  function toFailed (id: number): FailedJob[] {
    const found = findJob(id)
    if (!found) return []
    const { job, owned: { ownerId, ownerName } } = found
    const { failureCode: code = 'internal_error', retryCount, updatedAt, completedAt = updatedAt } = job
    return [{ id, ownerId, ownerName, code, stage: job.stage, at: completedAt, retryCount, isRetryable: retries.isRetryable(job) }]
  }

  return {
    /** Running work first, then jobs in progress whose next piece waits, then queued ones; at most `limit`. */
    readQueue (limit: number): QueueView {
      const running = new Map<number, RunningWork[]>()
      for (const work of overview.listRunning()) running.set(work.jobId, [...running.get(work.jobId) ?? [], work])
      const ids = new Set([
        ...running.keys(), ...overview.listUnfinished('processing', limit), ...overview.listUnfinished('queued', limit)
      ])
      const { queued = 0, processing = 0 } = metrics.countJobs()
      return {
        jobs: [...ids].slice(0, limit).flatMap((id) => toQueued(id, running.get(id) ?? [])),
        counts: { queued, processing, work: metrics.countWork() }
      }
    },
    /** Failed jobs, newest first. `next`: the `before` of the next page; undefined on the last page. */
    listFailed ({ before = Number.MAX_SAFE_INTEGER, limit }: { before: number | undefined, limit: number }) {
      // Read one more, to know whether there is another page.
      const ids = overview.listFailed({ before, limit: limit + 1 })
      const page = ids.slice(0, limit)
      return { jobs: page.flatMap(toFailed), next: ids.length > limit ? page.at(-1) : undefined }
    }
  }
}
export type Overview = ReturnType<typeof createOverview>
