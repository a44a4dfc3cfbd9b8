/** Stored media becomes a job. */
import { randomUUID } from 'node:crypto'
import { AppError } from '../domain/errors.js'
import type { JobOptions } from '../domain/job.js'
import { nameFromUrl, toShownUrl, toTitle } from '../domain/source.js'
import { mergeTerms } from '../domain/terms.js'
import type { JobWebhook } from '../domain/webhook.js'
import type { InTransaction } from '../store/database.js'
import { TooLong } from '../store/files.js'
import type { Files } from '../store/files.js'
import type { JobStore } from '../store/jobs.js'
import type { MediaStore } from '../store/media.js'
import type { OwnerStore } from '../store/owners.js'
import type { StoredFile } from '../store/paths.js'
import type { SourceStore } from '../store/sources.js'

type Deps = {
  jobs: JobStore
  media: MediaStore
  sources: Pick<SourceStore, 'insert'>
  owners: Pick<OwnerStore, 'find'>
  files: Files
  inTransaction: InTransaction
  maxMediaBytes: number
  /** Free bytes that are left alone. */
  minFreeBytes: number
  /** Jobs on the appliance that have not ended. */
  maxQueued: number
  now: () => number
}

/** Of a `queue_full`: about the time in which a place becomes free. */
const QUEUE_RETRY_SECONDS = 60

/** What a job is made with, besides its media; without a key it comes from the command line. */
export type Submission = { ownerId: number, apiKeyId?: number | undefined, fileName: string, options: JobOptions, webhook?: JobWebhook | undefined }
/** Without a `fileName`, the transcript is called what the source is. */
export type UrlSubmission = Omit<Submission, 'fileName'> & { url: string, fileName?: string | undefined }

export function createIngest ({ jobs, media, sources, owners, files, inTransaction, maxMediaBytes, minFreeBytes, maxQueued, now }: Deps) {
  const submittedListeners: Array<() => void> = []

  function requireQueueRoom (): void {
    if (jobs.countActive() < maxQueued) return
    throw new AppError('queue_full', 'The appliance has as many jobs waiting as it takes. Try again in a minute; parts that were sent are kept.', {
      headers: { 'retry-after': String(QUEUE_RETRY_SECONDS) }
    })
  }

  /** With a copy of the owner's terms: later changes of the list do not reach the job. */
  function withOwnTerms (options: JobOptions, ownerId: number): JobOptions {
    const terms = mergeTerms(options.terms ?? [], owners.find(ownerId)?.terms ?? [])
    return terms.length === 0 ? options : { ...options, terms }
  }

  function create (submission: Submission, file: string, stored: StoredFile): number {
    requireQueueRoom()
    const { ownerId, apiKeyId, fileName, options, webhook } = submission
    const mediaId = media.insert({ ownerId, file, sizeBytes: stored.sizeBytes, sha256: stored.sha256 }, now())
    return jobs.insert({ ownerId, apiKeyId, mediaId, fileName, options: withOwnTerms(options, ownerId), webhook, now: now() })
  }

  /**
   * Makes the job of a stored media file; `around` runs in the same transaction and may find that it is made already. Without a job, the file
   * goes. Throws `queue_full`.
   */
  async function createJob (
    submission: Submission, file: string, stored: StoredFile, around: (make: () => number) => number = (make) => make()
  ): Promise<number> {
    const jobId = await keepOnlyWithRow(file, () => inTransaction(() => around(() => create(submission, file, stored))))
    for (const listener of submittedListeners) listener()
    return jobId
  }

  /** Throws `insufficient_storage` when `bytes` more would eat into the reserve of free disk. */
  async function requireRoom (bytes: number): Promise<void> {
    if (await files.freeBytes() - bytes >= minFreeBytes) return
    throw new AppError('insufficient_storage', 'The disk of the appliance is nearly full. Nothing was stored; free some space and try again.')
  }

  async function keepOnlyWithRow<T> (file: string, work: () => T): Promise<T> {
    try {
      return work()
    } catch (error) {
      // Another process may have made the job of the same file meanwhile: then it is no longer ours to remove.
      if (!media.isKnown(file)) await files.removeMedia(file)
      throw error
    }
  }

  return {
    createJob,
    requireRoom,
    /** Throws `queue_full` when no more jobs may wait. Creating one asks again; this spares the work before it. */
    requireQueueRoom,
    /** Copies a local file in and makes its job. Throws `media_too_large`, `queue_full`. */
    async submitFile (path: string, submission: Submission): Promise<number> {
      const file = `file-${randomUUID()}`
      try {
        const stored = await files.copyIn(path, maxMediaBytes, file)
        return await createJob(submission, file, stored)
      } catch (error) {
        if (error instanceof TooLong) throw new AppError('media_too_large', 'The file is larger than this appliance accepts (STENOBOX_MAX_MEDIA_BYTES).', { cause: error })
        throw error
      }
    },
    /** Makes the job of an address (see `parseSourceUrl`), which is fetched later. Throws `queue_full`, `insufficient_storage`. */
    async submitUrl ({ ownerId, apiKeyId, url, fileName, options, webhook }: UrlSubmission): Promise<number> {
      await requireRoom(0)
      const name = toTitle(fileName)
      const jobId = inTransaction(() => {
        requireQueueRoom()
        const mediaId = media.expect(ownerId, `source-${randomUUID()}`, now())
        const id = jobs.insert({
          ownerId, apiKeyId, mediaId, fileName: name ?? nameFromUrl(url), options: withOwnTerms(options, ownerId), webhook, firstStage: 'fetch', now: now()
        })
        sources.insert({ jobId: id, url, shownUrl: toShownUrl(url), isNamed: name !== undefined })
        return id
      })
      for (const listener of submittedListeners) listener()
      return jobId
    },
    /** Calls `listener` whenever a job has been submitted. */
    onSubmitted (listener: () => void): void {
      submittedListeners.push(listener)
    }
  }
}
export type Ingest = ReturnType<typeof createIngest>
