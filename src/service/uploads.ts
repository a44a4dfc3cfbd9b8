/** Uploads in parts: begin, receive parts, look, complete, drop. */
import { randomUUID } from 'node:crypto'
import { AppError, isNoRoom, TooLong } from '../domain/errors.js'
import { missingParts, partCount, partSizeAt, partSizeFor, RESERVATION_MS, UPLOAD_TTL_MS } from '../domain/upload.js'
import type { Upload, UploadPart, UploadRequest, UploadState } from '../domain/upload.js'
import type { InTransaction } from '../store/database.js'
import type { Files } from '../store/files.js'
import type { UploadStore } from '../store/uploads.js'
import type { Submit } from './submit.js'
import type { Consumer } from './usage.js'

type Deps = {
  uploads: UploadStore
  files: Files
  submit: Pick<Submit, 'acceptUpload' | 'requireUploadRoom' | 'submitStored' | 'requireMinutes' | 'requireRoom' | 'requireQueueRoom'>
  inTransaction: InTransaction
  /** For uploads without a part. The first part is synced, and the upload with it. A power cut before that costs a reservation. */
  inUnsyncedTransaction: InTransaction
  now: () => number
}

/** The bytes of a part as they arrive. `lengthBytes`: the announced length, if any. */
export type PartBody = { lengthBytes: number | undefined, source: AsyncIterable<Buffer> }

/** An upload that was begun. `webhookSecret`: made because the caller named a webhook without one; shown once. */
export type BegunUpload = { upload: Upload, webhookSecret?: string }

const NO_ROOM = 'The disk of the appliance is full. What arrived before is kept; free some space and send this part again.'
const NO_ROOM_TO_JOIN = 'The disk of the appliance is full. All parts are kept; free some space and complete again.'
/** How many missing parts an error names. */
const NAMED_PARTS = 20

const unknownUpload = (): AppError => new AppError('not_found', 'There is no such upload. It may have expired. Begin a new one.')

export function createUploads ({ uploads, files, submit, inTransaction, inUnsyncedTransaction, now }: Deps) {
  /** Completions in progress, so that a second call waits for the first instead of joining the parts again. */
  const completing = new Map<string, Promise<number>>()
  /** How many requests are sending a part right now, by upload and part number. */
  const arriving = new Map<string, number>()

  function find (id: string, ownerId: number): Upload {
    const upload = uploads.find(id, ownerId)
    if (!upload) throw unknownUpload()
    if (upload.jobId === undefined && upload.expiresAt <= now()) throw new AppError('gone', 'The upload has expired. Begin a new one.')
    return upload
  }

  function state (upload: Upload): UploadState {
    const received = uploads.listParts(upload.id)
    return { upload, received, missing: upload.jobId === undefined ? missingParts(upload, received) : [] }
  }

  function findOpen (id: string, ownerId: number): Upload {
    const upload = find(id, ownerId)
    if (upload.jobId !== undefined || completing.has(id)) {
      throw new AppError('conflict', 'The upload is complete: it takes no more parts.')
    }
    return upload
  }

  /**
   * Records a part that has arrived; the first one keeps the upload open for longer, each extends its reservation. Removes the bytes it
   * replaces, unless another request is sending the same part right now, because that one may carry those bytes.
   */
  async function keepPart ({ id, createdAt }: Upload, part: UploadPart): Promise<void> {
    const known = uploads.listParts(id)
    const replaced = known.find(({ partNumber }) => partNumber === part.partNumber)
    const expiresAt = createdAt + UPLOAD_TTL_MS
    inTransaction(() => {
      uploads.upsertPart(id, part)
      uploads.extend(id, { expiresAt, reservedUntil: Math.min(expiresAt, now() + RESERVATION_MS) })
    })
    const isAlone = arriving.get(`${id}/${part.partNumber}`) === 1
    if (replaced && replaced.sha256 !== part.sha256 && isAlone) await files.removePart(id, replaced)
  }

  async function assemble (upload: Upload, expectedSha256: string | undefined): Promise<number> {
    const { received, missing } = state(upload)
    if (missing.length > 0) {
      const named = missing.slice(0, NAMED_PARTS).join(', ') + (missing.length > NAMED_PARTS ? ', …' : '')
      const count = `${missing.length} of ${partCount(upload)} parts`
      throw new AppError('parts_missing', `${count} have not arrived: ${named}. Send them and complete again.`)
    }
    submit.requireQueueRoom(upload.ownerId)
    if (received.length > 1) await submit.requireRoom(upload.sizeBytes)
    const file = `upload-${upload.id}`
    const stored = await files.joinParts(upload.id, received, file)
    if (expectedSha256 !== undefined && expectedSha256 !== stored.sha256) {
      await files.removeMedia(file)
      const found = `sha256: what arrived has the digest ${stored.sha256}.`
      throw new AppError('digest_mismatch', `${found} Send the parts that differ again, or begin a new upload.`)
    }
    const job = await submit.submitStored(upload, file, stored, (make) => {
      const made = uploads.find(upload.id, upload.ownerId)?.jobId
      if (made !== undefined) return made
      const id = make()
      uploads.setJob(upload.id, id)
      return id
    })
    await files.removeUpload(upload.id)
    return job.id
  }

  return {
    /** Throws `minutes_exceeded`, `invalid_request`, `media_too_large`, `queue_full`, `insufficient_storage`. */
    async begin (caller: Consumer, request: UploadRequest): Promise<BegunUpload> {
      const { accepted, freeBytes, ...madeSecret } = await submit.acceptUpload(caller, request)
      const { sizeBytes, fileType, sha256 } = request
      const createdAt = now()
      const upload: Upload = {
        ...accepted,
        id: randomUUID(),
        sizeBytes,
        fileType,
        sha256,
        partSizeBytes: partSizeFor(sizeBytes),
        createdAt,
        expiresAt: createdAt + RESERVATION_MS,
        reservedUntil: createdAt + RESERVATION_MS,
        jobId: undefined
      }
      inUnsyncedTransaction(() => {
        const own = uploads.openOf(caller.ownerId, createdAt)
        submit.requireUploadRoom(caller.ownerId, sizeBytes, freeBytes, { announcedBytes: uploads.announcedBytes(createdAt), own })
        uploads.insert(upload)
      })
      return { upload, ...madeSecret }
    },

    /**
     * Stores one part, whole or not at all, and replaces an earlier one. Throws `not_found`, `gone`, `conflict`,
     * `invalid_request` (no such part, wrong length), `payload_too_large`, `insufficient_storage`.
     */
    async receivePart (id: string, ownerId: number, partNumber: number, body: PartBody): Promise<UploadPart> {
      const upload = findOpen(id, ownerId)
      if (partNumber < 1 || partNumber > partCount(upload)) {
        throw new AppError('invalid_request', `partNumber: this upload has parts 1 to ${partCount(upload)}.`)
      }
      const expected = partSizeAt(upload, partNumber)
      const rule = `Part ${partNumber} must be ${expected} bytes long`
      const wrongLength = (actual: number): AppError => new AppError('invalid_request', `${rule}; ${actual} arrived.`)
      const tooLong = (cause?: unknown): AppError => new AppError('payload_too_large', `${rule}; more arrived.`, { cause })
      if (body.lengthBytes !== undefined && body.lengthBytes > expected) throw tooLong()
      if (body.lengthBytes !== undefined && body.lengthBytes < expected) throw wrongLength(body.lengthBytes)
      await submit.requireRoom(expected)
      const key = `${id}/${partNumber}`
      arriving.set(key, (arriving.get(key) ?? 0) + 1)
      try {
        const part = { partNumber, ...await files.writePart(id, partNumber, body.source, expected) }
        if (part.sizeBytes !== expected) throw wrongLength(part.sizeBytes)
        // The upload may have been dropped or completed while the part arrived.
        findOpen(id, ownerId)
        await keepPart(upload, part)
        return part
      } catch (error) {
        if (error instanceof TooLong) throw tooLong(error)
        if (isNoRoom(error)) throw new AppError('insufficient_storage', NO_ROOM, { cause: error })
        // When the upload was dropped or completed meanwhile, its directory is gone, and this error says why.
        findOpen(id, ownerId)
        throw error
      } finally {
        const others = (arriving.get(key) ?? 1) - 1
        if (others === 0) arriving.delete(key)
        else arriving.set(key, others)
      }
    },

    /** The upload and which parts have arrived. Throws `not_found`, `gone`. */
    look: (id: string, ownerId: number): UploadState => state(find(id, ownerId)),

    /**
     * Makes the job, once: a repeated call returns the same one, even when the minutes are used up by then. Throws `not_found`, `gone`,
     * `minutes_exceeded`, `digest_mismatch`, `parts_missing`, `queue_full` (all parts are kept), `insufficient_storage`.
     */
    async complete (id: string, caller: Consumer, sha256: string | undefined): Promise<number> {
      const upload = find(id, caller.ownerId)
      if (upload.jobId !== undefined) return upload.jobId
      submit.requireMinutes(caller)
      if (sha256 !== undefined && upload.sha256 !== undefined && sha256 !== upload.sha256) {
        throw new AppError('digest_mismatch', 'sha256: not the digest that was announced when the upload began.')
      }
      const running = completing.get(id) ?? assemble(upload, sha256 ?? upload.sha256).finally(() => { completing.delete(id) })
      completing.set(id, running)
      try {
        return await running
      } catch (error) {
        if (isNoRoom(error)) throw new AppError('insufficient_storage', NO_ROOM_TO_JOIN, { cause: error })
        throw error
      }
    },

    /** Removes an upload and its parts. Throws `not_found`, and `conflict` once it is a job. */
    async drop (id: string, ownerId: number): Promise<void> {
      const upload = uploads.find(id, ownerId)
      if (!upload) throw unknownUpload()
      if (upload.jobId !== undefined || completing.has(id)) throw new AppError('conflict', 'The upload is complete: it is a job now.')
      // Without parts, an upload that a power cut brings back is a reservation again, which ends by itself.
      const commit = uploads.listParts(id).length === 0 ? inUnsyncedTransaction : inTransaction
      commit(() => { uploads.remove(id) })
      await files.removeUpload(id)
    },

    /** Removes expired uploads, and parts without a row, whose process died before it wrote the row. */
    async sweep (): Promise<void> {
      for (const id of uploads.listExpired(now())) {
        uploads.remove(id)
        await files.removeUpload(id)
      }
      const before = now() - UPLOAD_TTL_MS
      for (const id of await files.listUntouched('uploads', before)) await files.removeUpload(id)
    }
  }
}
export type Uploads = ReturnType<typeof createUploads>
