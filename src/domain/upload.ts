/** Rules of an upload in parts. */
import type { AcceptedJob, JobRequest } from './submission.js'

const MIB = 1024 * 1024
const MAX_PARTS = 1000
/** How long an upload may stay open. */
export const UPLOAD_TTL_MS = 24 * 60 * 60 * 1000
/** How long the bytes it has announced are reserved on the disk after its beginning and after each part. Without a part it ends then. */
export const RESERVATION_MS = 60 * 60 * 1000
/** Uploads of one owner that may be open at once. */
export const MAX_OPEN_UPLOADS = 200

/** An upload in progress, with the data of its future job. */
export type Upload = AcceptedJob & {
  id: string
  fileType: string | undefined
  sizeBytes: number
  partSizeBytes: number
  sha256: string | undefined
  createdAt: number
  expiresAt: number
  /** Until then, what has not arrived is reserved on the disk. */
  reservedUntil: number
  /** Set when the upload has become a job. */
  jobId: number | undefined
}

/** An upload as a caller asks for it. `sha256`: digest of the whole file in lower-case hex. */
export type UploadRequest = JobRequest & {
  fileName: string
  sizeBytes: number
  fileType?: string | undefined
  sha256?: string | undefined
}

/** An upload and its parts. `missing`: numbers of the parts that have not arrived, ascending; empty once it has become a job. */
export type UploadState = { upload: Upload, received: UploadPart[], missing: number[] }

export type UploadPart = { partNumber: number, sizeBytes: number, sha256: string }

/** Part size for a file in bytes: 1 MiB, or more whole MiB when the file would need more than 1000 parts. */
export function partSizeFor (fileSizeBytes: number): number {
  return Math.max(1, Math.ceil(fileSizeBytes / MAX_PARTS / MIB)) * MIB
}

export function partCount (upload: Pick<Upload, 'sizeBytes' | 'partSizeBytes'>): number {
  return Math.ceil(upload.sizeBytes / upload.partSizeBytes)
}

/** Exact size of part `partNumber` (from 1). All parts are full except the last. */
export function partSizeAt (upload: Pick<Upload, 'sizeBytes' | 'partSizeBytes'>, partNumber: number): number {
  const offset = (partNumber - 1) * upload.partSizeBytes
  return Math.min(upload.partSizeBytes, upload.sizeBytes - offset)
}

/** Numbers of the missing parts, ascending. */
export function missingParts (upload: Pick<Upload, 'sizeBytes' | 'partSizeBytes'>, received: readonly UploadPart[]): number[] {
  const have = new Set(received.map((part) => part.partNumber))
  return Array.from({ length: partCount(upload) }, (_, index) => index + 1).filter((number) => !have.has(number))
}
