/**
 * The one way in: a recording becomes a job here, whatever door it came through. Doors parse what they received, call this, and reply.
 * Quota, queue, disk, name, language, options, webhook and first rows are decided here.
 */
import { randomUUID } from 'node:crypto'
import { AppError, TooLong } from '../domain/errors.js'
import type { Job, JobOptions } from '../domain/job.js'
import { parseRecordingName, UNNAMED } from '../domain/recording-name.js'
import type { RecordingName } from '../domain/recording-name.js'
import { nameFromUrl, parseSourceUrl, toShownUrl } from '../domain/source.js'
import { parseJobOptions, parseJobWebhook } from '../domain/submission.js'
import type { AcceptedJob, JobRequest } from '../domain/submission.js'
import { mergeTerms } from '../domain/terms.js'
import { MAX_OPEN_UPLOADS } from '../domain/upload.js'
import type { UploadRequest } from '../domain/upload.js'
import type { InTransaction } from '../store/database.js'
import type { Files } from '../store/files.js'
import type { JobStore } from '../store/jobs.js'
import type { MediaStore } from '../store/media.js'
import type { OwnerStore } from '../store/owners.js'
import type { StoredFile } from '../store/paths.js'
import type { SourceStore } from '../store/sources.js'
import { requireDiarization } from './plans.js'
import type { Plans } from './plans.js'
import type { Consumer, Usage } from './usage.js'
import type { Webhooks } from './webhooks.js'

type Deps = {
  jobs: JobStore
  media: MediaStore
  sources: Pick<SourceStore, 'insert'>
  owners: Pick<OwnerStore, 'find' | 'hasOtherActive'>
  usage: Pick<Usage, 'requireMinutes'>
  plans: Pick<Plans, 'limitsOf'>
  webhooks: Pick<Webhooks, 'checkUrl'>
  files: Files
  inTransaction: InTransaction
  maxMediaBytes: number
  /** Free bytes that are left alone. */
  minFreeBytes: number
  /** Jobs on the appliance that have not ended. */
  maxQueued: number
  now: () => number
}

/** An owner who has made no request for this long has no share of the queue and the disk. */
const ACTIVE_MS = 30 * 24 * 60 * 60_000
/** `Retry-After` of a `queue_full`: about the time in which a place becomes free. */
const QUEUE_RETRY_SECONDS = 60
const QUEUE_FULL = 'The appliance has as many jobs waiting as it takes. Try again in a minute; parts that were sent are kept.'
const SHARE_OF_QUEUE_USED =
  'Your jobs have taken your share of the queue; the rest is for other owners. Try again in a minute; parts that were sent are kept.'
const SHARE_OF_DISK_USED =
  'Your open uploads or downloads have taken your share of the free disk; the rest is for other owners. Try again when some are done.'
const TOO_MANY_OPEN = `You have ${MAX_OPEN_UPLOADS} uploads open already. Complete or delete some and try again.`
const NO_ROOM = 'The disk of the appliance is nearly full. Nothing was stored; free some space and try again.'

/** Bytes that are reserved for open uploads: of all owners, and of the one who asks. */
type Announced = { announcedBytes: number, own: { count: number, announcedBytes: number } }
/** Bytes of running downloads: those of an owner that have arrived and are still to come, and those of others that are to come. */
type DownloadBytes = { arrivedBytes: number, restBytes: number, othersRestBytes: number }
/** A secret that was made because the caller named a webhook without one: the reply shows it once. */
type MadeSecret = { webhookSecret?: string }
/** The job that was made. */
export type Submitted = MadeSecret & { job: Job }
/** `freeBytes`: of the disk, when it was accepted. */
type AcceptedUpload = MadeSecret & { accepted: AcceptedJob, freeBytes: number }
/** A request that may become a job. Without a `fileName` it is named after its recording. */
type Checked = Omit<AcceptedJob, 'fileName'> & { fileName: RecordingName | undefined }

const toMadeSecret = ({ webhook }: Checked, { webhookSecret }: JobRequest): MadeSecret =>
  webhook && webhookSecret === undefined ? { webhookSecret: webhook.secret } : {}

export function createSubmit (deps: Deps) {
  const { jobs, media, sources, owners, usage, plans, webhooks, files, inTransaction, maxMediaBytes, minFreeBytes, maxQueued, now } = deps
  const queuedListeners: Array<() => void> = []

  const queueFull = (message: string): AppError =>
    new AppError('queue_full', message, { headers: { 'retry-after': String(QUEUE_RETRY_SECONDS) } })

  const hasOthers = (ownerId: number): boolean => owners.hasOtherActive(ownerId, now() - ACTIVE_MS)

  /**
   * While others use the appliance, an owner may take half of what they leave, so that there is always a place for the next owner.
   * Throws `queue_full`.
   */
  function requireQueueRoom (ownerId: number): void {
    const active = jobs.countActive()
    if (active >= maxQueued) throw queueFull(QUEUE_FULL)
    const own = jobs.countActiveOf(ownerId)
    if (own >= Math.ceil((maxQueued - (active - own)) / 2) && hasOthers(ownerId)) throw queueFull(SHARE_OF_QUEUE_USED)
  }

  function requireFree (freeBytes: number, bytes: number): void {
    if (freeBytes - bytes < minFreeBytes) throw new AppError('insufficient_storage', NO_ROOM)
  }

  async function requireRoom (bytes: number): Promise<void> { requireFree(await files.freeBytes(), bytes) }

  /** Refuses early, before bytes are sent or copied. Throws `queue_full`, `insufficient_storage`. */
  async function requirePlace (ownerId: number, bytes: number): Promise<void> {
    requireQueueRoom(ownerId)
    await requireRoom(bytes)
  }

  const tooLarge = (cause?: unknown): AppError =>
    new AppError('media_too_large', `fileSize: this appliance accepts files up to ${maxMediaBytes} bytes.`, { cause })

  function requireSize (bytes: number): void {
    if (bytes > maxMediaBytes) throw tooLarge()
  }

  /** Throws `invalid_request`, `not_in_plan`. */
  async function check ({ ownerId, keyId: apiKeyId, plan }: Consumer, request: JobRequest): Promise<Checked> {
    const fileName = request.fileName === undefined ? undefined : parseRecordingName(request.fileName)
    const webhook = parseJobWebhook(request)
    if (webhook) await webhooks.checkUrl(webhook.url, 'webhookUrl')
    const options = parseJobOptions(request)
    if (options.speakers) requireDiarization(plans, plan)
    return { ownerId, apiKeyId, fileName, options, webhook }
  }

  /** With a copy of the owner's terms: later changes of the list do not reach the job. */
  function withOwnTerms (options: JobOptions, ownerId: number): JobOptions {
    const terms = mergeTerms(options.terms ?? [], owners.find(ownerId)?.terms ?? [])
    return terms.length === 0 ? options : { ...options, terms }
  }

  /** The row of every new job and of its first work, in a transaction of the caller. Throws `queue_full`. */
  function insert (accepted: AcceptedJob, mediaId: number, firstStage: 'fetch' | 'decode'): number {
    const { ownerId, apiKeyId, fileName, options, webhook } = accepted
    requireQueueRoom(ownerId)
    return jobs.insert({ ownerId, apiKeyId, mediaId, fileName, options: withOwnTerms(options, ownerId), webhook, firstStage, now: now() })
  }

  function insertStored (accepted: AcceptedJob, file: string, { sizeBytes, sha256 }: StoredFile): number {
    return insert(accepted, media.insert({ ownerId: accepted.ownerId, file, sizeBytes, sha256 }, now()), 'decode')
  }

  function insertAddress (accepted: AcceptedJob, url: string, naming: { isNamed: boolean }): number {
    const jobId = insert(accepted, media.expect(accepted.ownerId, `source-${randomUUID()}`, now()), 'fetch')
    sources.insert({ jobId, url, shownUrl: toShownUrl(url), ...naming })
    return jobId
  }

  function announce (jobId: number): Job {
    // Read before work on it begins: the caller is told that it is queued.
    const job = jobs.find(jobId)
    if (!job) throw new Error(`job ${jobId} is gone`)
    for (const listener of queuedListeners) listener()
    return job
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

  /**
   * Makes the job of a media file that is stored already, such as the joined parts of an upload. `around` runs in the same transaction and
   * may find that the job exists. Without a job, the file is removed. Throws `queue_full`.
   */
  async function submitStored (
    accepted: AcceptedJob, file: string, stored: StoredFile, around: (make: () => number) => number = (make) => make()
  ): Promise<Job> {
    return announce(await keepOnlyWithRow(file, () => inTransaction(() => around(() => insertStored(accepted, file, stored)))))
  }

  return {
    /**
     * Makes the job of an address, which is fetched later; `field` names the address in errors. Throws `minutes_exceeded`,
     * `invalid_request`, `queue_full`, `insufficient_storage`.
     */
    async submitAddress (caller: Consumer, address: { url: string, field: string }, request: JobRequest): Promise<Submitted> {
      usage.requireMinutes(caller)
      const url = parseSourceUrl(address.url, address.field)
      const checked = await check(caller, request)
      await requirePlace(caller.ownerId, 0)
      const { fileName } = checked
      const accepted = { ...checked, fileName: fileName ?? nameFromUrl(url) }
      const jobId = inTransaction(() => insertAddress(accepted, url, { isNamed: fileName !== undefined }))
      return { job: announce(jobId), ...toMadeSecret(checked, request) }
    },

    /**
     * Copies a file of this machine and makes its job; the file itself stays where it is. Throws `minutes_exceeded`, `invalid_request`,
     * `media_too_large`, `queue_full`, `insufficient_storage`.
     */
    async submitFile (caller: Consumer, local: { path: string, sizeBytes: number }, request: JobRequest): Promise<Submitted> {
      usage.requireMinutes(caller)
      const checked = await check(caller, request)
      requireSize(local.sizeBytes)
      await requirePlace(caller.ownerId, local.sizeBytes)
      const file = `file-${randomUUID()}`
      const stored = await files.copyIn(local.path, maxMediaBytes, file).catch((error: unknown) => {
        throw error instanceof TooLong ? tooLarge(error) : error
      })
      const job = await submitStored({ ...checked, fileName: checked.fileName ?? UNNAMED }, file, stored)
      return { job, ...toMadeSecret(checked, request) }
    },

    /**
     * Checks an upload before its first byte, all but what `requireUploadRoom` checks. Throws `minutes_exceeded`, `invalid_request`,
     * `media_too_large`, `queue_full`.
     */
    async acceptUpload (caller: Consumer, request: UploadRequest): Promise<AcceptedUpload> {
      usage.requireMinutes(caller)
      const checked = await check(caller, request)
      requireSize(request.sizeBytes)
      requireQueueRoom(caller.ownerId)
      const accepted = { ...checked, fileName: checked.fileName ?? UNNAMED }
      return { accepted, freeBytes: await files.freeBytes(), ...toMadeSecret(checked, request) }
    },

    /**
     * An owner's uploads may reserve half of the free disk that others leave. Call it in the transaction that stores the upload: of
     * many that begin at once, each sees those before it. Throws `queue_full`, `insufficient_storage`.
     */
    requireUploadRoom (ownerId: number, sizeBytes: number, freeBytes: number, { announcedBytes, own }: Announced): void {
      if (own.count >= MAX_OPEN_UPLOADS) throw queueFull(TOO_MANY_OPEN)
      requireFree(freeBytes, sizeBytes + announcedBytes)
      const left = freeBytes - minFreeBytes - (announcedBytes - own.announcedBytes)
      if (own.announcedBytes + sizeBytes <= left / 2 || !hasOthers(ownerId)) return
      throw new AppError('insufficient_storage', SHARE_OF_DISK_USED)
    },

    /**
     * The same for downloads: those of an owner that run at once may use half of the free disk that others leave, counting what has
     * arrived. Throws `insufficient_storage`.
     */
    async requireDownloadRoom (ownerId: number, { arrivedBytes, restBytes, othersRestBytes }: DownloadBytes): Promise<void> {
      const freeBytes = await files.freeBytes()
      requireFree(freeBytes, restBytes)
      const left = freeBytes + arrivedBytes - minFreeBytes - othersRestBytes
      if (arrivedBytes + restBytes <= left / 2 || !hasOthers(ownerId)) return
      throw new AppError('insufficient_storage', SHARE_OF_DISK_USED)
    },

    submitStored,

    /**
     * Queues a job that exists again: `requeue` changes its rows in one transaction with the check of the queue. `bytes`: what it will
     * write to disk. Throws `queue_full`, `insufficient_storage`.
     */
    async resubmit (ownerId: number, bytes: number, requeue: () => number): Promise<Job> {
      await requirePlace(ownerId, bytes)
      return announce(inTransaction(() => {
        requireQueueRoom(ownerId)
        return requeue()
      }))
    },

    /** Throws `minutes_exceeded` when the owner has no minutes of recordings left this month. */
    requireMinutes: usage.requireMinutes,
    /** Throws `insufficient_storage` when `bytes` more would eat into the reserve of free disk. */
    requireRoom,
    /** Throws `queue_full` when no more jobs may wait. Making the job checks again; this spares the work before it. */
    requireQueueRoom,
    /** Calls `listener` whenever a job has been queued, for the first time or again. */
    onQueued (listener: () => void): void {
      queuedListeners.push(listener)
    }
  }
}
export type Submit = ReturnType<typeof createSubmit>
