/** The requests of an upload in parts. */
import { api, ApiError, take } from '../api/client.ts'
import type { RequestOptions } from './next-options.ts'

export type Session = { uploadId: string, partSize: number, missing: number[] }

/** Waits between attempts of a request with a transient failure, in ms. The last one is repeated until the request succeeds. */
export const RETRY_MS: readonly number[] = [500, 1000, 2000, 4000, 8000, 15_000]

/** Reasons that pass by themselves: no connection, the server restarts, another request of the same kind runs, too many at once. */
export const mayPass = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 408 || error.status === 429 || error.status >= 500) &&
  error.code !== 'insufficient_storage'

/**
 * The key of a file's upload in the storage of this tab, so that choosing the same file again after a reload resumes its upload. The tab's
 * storage ends with the tab, because names of recordings should not stay on a shared computer.
 */
const placeOf = (file: File): string => `stenobox.upload ${file.size} ${file.lastModified} ${file.name}`
/** The file that each key belongs to, since the page was loaded: copies of a file in two folders are two recordings. */
const holders = new Map<string, File>()

/** False: a copy of the file is being uploaded. */
function hold (file: File): boolean {
  const place = placeOf(file)
  if (!holders.has(place)) holders.set(place, file)
  return holders.get(place) === file
}

export function forgetUpload (file: File): void {
  const place = placeOf(file)
  if (holders.get(place) !== file) return
  holders.delete(place)
  sessionStorage.removeItem(place)
}

/** The parts that the appliance still needs; undefined: the upload has ended. Throws ApiError. */
export async function readMissing (uploadId: string, signal: AbortSignal): Promise<Session | undefined> {
  const { data } = await take(api.GET('/api/v1/media/uploads/{uploadId}', { params: { path: { uploadId } }, signal }))
  return data.jobId === undefined ? { uploadId, partSize: data.partSize, missing: data.missing } : undefined
}

async function resume (file: File, signal: AbortSignal): Promise<Session | undefined> {
  const known = sessionStorage.getItem(placeOf(file))
  if (known === null) return undefined
  try {
    const session = await readMissing(known, signal)
    if (session) return session
  } catch (error) {
    if (!(error instanceof ApiError && [404, 410].includes(error.status))) throw error
  }
  sessionStorage.removeItem(placeOf(file))
  return undefined
}

/**
 * Resumes the upload of this file with the options that it began with, or begins one. Throws ApiError: too large, no
 * minutes left, queue full.
 */
export async function beginUpload (file: File, options: RequestOptions, signal: AbortSignal): Promise<Session> {
  const isHeld = hold(file)
  const known = isHeld ? await resume(file, signal) : undefined
  if (known) return known
  const fileType = file.type === '' ? undefined : file.type
  const body = { fileName: file.name, fileSize: file.size, fileType, ...options }
  const { data } = await take(api.POST('/api/v1/media/uploads/init', { body, signal }))
  if (isHeld) sessionStorage.setItem(placeOf(file), data.uploadId)
  return { uploadId: data.uploadId, partSize: data.partSize, missing: data.parts.map(({ partNumber }) => partNumber) }
}

/** Sends one part; returns its size in bytes. Throws ApiError, and DOMException when the file can no longer be read. */
export async function sendPart (file: File, { uploadId, partSize }: Session, partNumber: number, signal: AbortSignal): Promise<number> {
  // Read first: a file that was moved or changed must not look like a lost connection.
  const bytes = await file.slice((partNumber - 1) * partSize, partNumber * partSize).arrayBuffer()
  await take(api.PUT('/api/v1/media/uploads/{uploadId}/parts/{partNumber}', {
    params: { path: { uploadId, partNumber } },
    // The document describes bytes as text; they are sent as they are.
    body: bytes as unknown as string,
    bodySerializer: (body) => body,
    headers: { 'content-type': 'application/octet-stream' },
    signal
  }))
  return bytes.byteLength
}

/** Makes the job. Throws ApiError. */
export async function completeUpload (uploadId: string, signal: AbortSignal): Promise<number> {
  return (await take(api.POST('/api/v1/media/uploads/complete', { body: { uploadId }, signal }))).data.jobId
}

export async function dropUpload (uploadId: string): Promise<void> {
  await take(api.DELETE('/api/v1/media/uploads/{uploadId}', { params: { path: { uploadId } } }))
}
