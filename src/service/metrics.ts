/** Numbers for monitoring: work done since the start, and work that waits. None of them identifies an owner. */
import { availableMemory } from 'node:process'
import { samplesToMs } from '../domain/audio.js'
import type { FailureCode } from '../domain/errors.js'
import type { JobStatus, SttQuality } from '../domain/job.js'
import type { Files } from '../store/files.js'
import type { JobStore } from '../store/jobs.js'
import type { MetricsStore, WorkCount } from '../store/metrics.js'

/** Windows of one quality, with the sums of their `audioMs` and `processingMs`. */
export type WindowTotals = { windows: number, audioMs: number, processingMs: number }

/** All numbers at one moment. Totals count from the start of the process. */
export type Readings = {
  version: string
  slots: number
  jobs: Readonly<Record<'queued' | 'processing', number>>
  ended: Readonly<Record<'completed' | 'failed', number>>
  failures: ReadonlyMap<FailureCode, number>
  oldestJobMs: number
  work: readonly WorkCount[]
  windows: ReadonlyMap<SttQuality, WindowTotals>
  models: ReadonlyArray<{ kind: 'speech' | 'language', model: string }>
  /** `overdueMs`: how long the oldest one has been due. */
  webhooks: { pending: number, overdueMs: number, sent: Readonly<Record<'success' | 'failed', number>> }
  disk: { freeBytes: number, minFreeBytes: number, databaseBytes: number, logBytes: number }
  memoryAvailableBytes: number
  isErasurePending: boolean
}

type Deps = {
  store: MetricsStore
  jobs: Pick<JobStore, 'find'>
  files: Pick<Files, 'freeBytes'>
  /** The speech models in memory. */
  listSpeechModels: () => readonly string[]
  /** The language model in memory, if there is one. */
  findLanguageModel: () => string | undefined
  version: string
  slots: number
  minFreeBytes: number
  now: () => number
}

const QUALITIES = ['fast', 'balanced', 'accurate'] as const

export function createMetrics (
  { store, jobs, files, listSpeechModels, findLanguageModel, version, slots, minFreeBytes, now }: Deps
) {
  const windows = new Map<SttQuality, WindowTotals>(QUALITIES.map((quality) => [quality, { windows: 0, audioMs: 0, processingMs: 0 }]))
  const ended = { completed: 0, failed: 0 }
  const failures = new Map<FailureCode, number>()
  const sent = { success: 0, failed: 0 }
  const since = (at: number | undefined): number => at === undefined ? 0 : Math.max(0, now() - at)
  const isEnded = (status: JobStatus | undefined): status is keyof typeof ended => status === 'completed' || status === 'failed'

  return {
    /** Counts a transcribed window. */
    addWindow (quality: SttQuality, { samples, processingMs }: { samples: number, processingMs: number }): void {
      const { windows: count, ...total } = windows.get(quality) ?? { windows: 0, audioMs: 0, processingMs: 0 }
      windows.set(quality, {
        windows: count + 1, audioMs: total.audioMs + samplesToMs(samples), processingMs: total.processingMs + processingMs
      })
    },
    /** Counts a job that has ended. */
    addEnded (jobId: number): void {
      const { status, failureCode } = jobs.find(jobId) ?? {}
      if (!isEnded(status)) return
      ended[status]++
      if (failureCode !== undefined) failures.set(failureCode, (failures.get(failureCode) ?? 0) + 1)
    },
    /** Counts a request to a webhook receiver. */
    addSent (status: keyof typeof sent): void {
      sent[status]++
    },
    async read (): Promise<Readings> {
      const { queued = 0, processing = 0 } = store.countJobs()
      const { pieces: pending, oldestDueAt } = store.findBacklog('webhook')
      const language = findLanguageModel()
      return {
        version,
        slots,
        jobs: { queued, processing },
        ended,
        failures,
        oldestJobMs: since(store.findOldestJob()),
        work: store.countWork(),
        windows,
        models: [
          ...listSpeechModels().map((model) => ({ kind: 'speech' as const, model })),
          ...(language === undefined ? [] : [{ kind: 'language' as const, model: language }])
        ],
        webhooks: { pending, overdueMs: since(oldestDueAt), sent },
        disk: { freeBytes: await files.freeBytes(), minFreeBytes, ...store.measureFiles() },
        memoryAvailableBytes: availableMemory(),
        isErasurePending: store.isErasurePending()
      }
    }
  }
}
export type Metrics = ReturnType<typeof createMetrics>
