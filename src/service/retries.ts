/** Retries of failed jobs. */
import { BYTES_PER_SAMPLE, SAMPLES_PER_MS } from '../domain/audio.js'
import { AppError } from '../domain/errors.js'
import { whyNotRetryable } from '../domain/job.js'
import type { Job } from '../domain/job.js'
import type { Files } from '../store/files.js'
import type { JobStore } from '../store/jobs.js'
import type { MediaStore } from '../store/media.js'
import type { SourceStore } from '../store/sources.js'
import type { SpeakerStore } from '../store/speakers.js'
import type { TranscriptStore } from '../store/transcripts.js'
import type { WindowStore } from '../store/windows.js'
import type { Submit } from './submit.js'
import { findOwnedJob } from './transcripts.js'
import type { Consumer } from './usage.js'

type Deps = {
  jobs: JobStore
  sources: Pick<SourceStore, 'restart'>
  windows: Pick<WindowStore, 'removeFrom' | 'removeOpen'>
  transcripts: Pick<TranscriptStore, 'removeFrom' | 'setSkipped'>
  speakers: Pick<SpeakerStore, 'forget'>
  media: Pick<MediaStore, 'find'>
  files: Pick<Files, 'hasMedia'>
  submit: Pick<Submit, 'requireMinutes' | 'resubmit'>
  now: () => number
}

const GONE = 'The recording is no longer stored. Upload it again.'
const USED = 'The job cannot be retried any more. Upload the recording again.'

export function createRetries ({ jobs, sources, windows, transcripts, speakers, media, files, submit, now }: Deps) {
  /** Whether the recording is still available: a URL can always be fetched again, a stored file must exist. */
  function hasSource ({ mediaId, source }: Job): boolean {
    const stored = media.find(mediaId)
    return source !== undefined || (stored?.state === 'stored' && files.hasMedia(stored.file))
  }

  /** Removes unfinished windows. For a URL, removes all results: it is fetched again and may serve another recording by now. */
  function dropRun (jobId: number): void {
    if (!sources.restart(jobId)) return windows.removeOpen(jobId)
    for (const purpose of ['speech', 'language'] as const) windows.removeFrom({ jobId, purpose, idx: 0 })
    transcripts.removeFrom(jobId, 0)
    transcripts.setSkipped(jobId, [])
    speakers.forget(jobId)
    jobs.forgetRun(jobId)
  }

  const refusalOf = (job: Job) => whyNotRetryable(job, () => hasSource(job))

  function requireRetryable (job: Job): void {
    const refusal = refusalOf(job)
    if (refusal === 'source_gone') throw new AppError('gone', GONE)
    if (refusal === 'retries_used') throw new AppError('conflict', USED)
    if (refusal) throw new AppError('conflict', `The job is ${job.status}: only a failed one can be retried.`)
  }

  /** Queues a failed job again. Calls `find` again in the transaction, because another request may have retried the job meanwhile. */
  async function requeue (find: () => Job): Promise<Job> {
    const failed = find()
    requireRetryable(failed)
    const { id, ownerId, durationMs = 0, channels } = failed
    return await submit.resubmit(ownerId, durationMs * SAMPLES_PER_MS * BYTES_PER_SAMPLE * channels, () => {
      requireRetryable(find())
      dropRun(id)
      jobs.retry(id, now())
      return id
    })
  }

  function findAny (id: number): Job {
    const job = jobs.find(id)
    if (!job) throw new AppError('not_found', 'There is no such job.')
    return job
  }

  return {
    isRetryable: (job: Job): boolean => refusalOf(job) === undefined,
    /**
     * Queues a failed job again. A URL is fetched again. For a stored recording, finished windows stay finished. Throws
     * `minutes_exceeded`, `not_found`, `conflict` (not failed, or retried too often), `gone`, `queue_full`, `insufficient_storage`.
     */
    async retry (id: number, caller: Consumer): Promise<Job> {
      submit.requireMinutes(caller)
      return await requeue(() => findOwnedJob(jobs, id, caller.ownerId))
    },
    /**
     * The same for a job of any owner, as its administrator wishes: whatever minutes the owner has left. Throws `not_found`, `conflict`,
     * `gone`, `queue_full`, `insufficient_storage`.
     */
    retryOfAnyOwner: async (id: number): Promise<Job> => await requeue(() => findAny(id))
  }
}
export type Retries = ReturnType<typeof createRetries>
