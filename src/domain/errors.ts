/** Every way a request or a job can fail, as stable codes. Clients depend on the codes; the sentences may change. */

/** Codes of error replies. `routes/contract/error-table.ts` has the HTTP status of each. */
export type ErrorCode =
  | 'invalid_request'
  | 'unauthorized'
  | 'insufficient_scope'
  | 'api_key_required'
  | 'session_required'
  | 'administrator_required'
  | 'administration_off'
  | 'wrong_password'
  | 'sign_in_too_old'
  | 'sign_in_refused'
  | 'no_account'
  | 'sharing_off'
  | 'not_in_plan'
  | 'cross_site_request'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'sign_in_expired'
  | 'edit_conflict'
  | 'parts_missing'
  | 'idempotency_in_flight'
  | 'digest_mismatch'
  | 'gone'
  | 'payload_too_large'
  | 'media_too_large'
  | 'headers_too_large'
  | 'unsupported_media_type'
  | 'not_completed'
  | 'range_not_satisfiable'
  | 'idempotency_mismatch'
  | 'expectation_failed'
  | 'too_many_attempts'
  | 'queue_full'
  | 'insufficient_storage'
  | 'quota_exceeded'
  | 'minutes_exceeded'
  | 'unavailable'
  | 'request_timeout'
  | 'receiver_failed'
  | 'internal_error'

/** Codes of a failed job (`failure.code`). */
export type FailureCode =
  | 'source_unreachable'
  | 'source_forbidden'
  | 'source_not_found'
  | 'source_blocked'
  | 'source_unsupported'
  | 'media_too_large'
  | 'media_too_long'
  | 'unsupported_media'
  | 'no_audio_stream'
  | 'decode_failed'
  | 'model_unavailable'
  | 'out_of_memory'
  | 'insufficient_storage'
  | 'timeout'
  | 'worker_crashed'
  | 'internal_error'

/** The sentence people read for each failure. It never holds a path, an address or program output. */
export const FAILURE_MESSAGES: Readonly<Record<FailureCode, string>> = {
  source_unreachable:
    'The source could not be fetched: it does not answer, sends an invalid answer, or is far too slow. Try again later.',
  source_forbidden: 'The source needs a login, or is not reachable from this network. Make it public, or upload the file.',
  source_not_found: 'There is nothing at the address. Check that it opens in a browser.',
  source_blocked:
    'The address is on a network that this appliance may not fetch from, or fetching is turned off. ' +
    'The administrator can allow it with STENOBOX_ALLOW_SOURCES and STENOBOX_OFFLINE.',
  source_unsupported:
    'No single recording was found at the address. ' +
    'Live streams, playlists, pages of unknown platforms and feeds of more than 8 MiB are not supported.',
  media_too_large: 'The recording is larger than this appliance accepts (STENOBOX_MAX_MEDIA_BYTES).',
  media_too_long: 'The recording is longer than this appliance accepts.',
  unsupported_media: 'The file is not audio or video that can be read. Check that it plays, and upload it again.',
  no_audio_stream: 'The file has no sound track.',
  decode_failed: 'The sound could not be decoded: the file is damaged or cut off. Upload it again from the original.',
  model_unavailable: 'The speech model is missing or damaged. The administrator can see which with: stenobox doctor',
  out_of_memory: 'There was not enough memory for the speech model. Use a smaller model or fewer workers.',
  insufficient_storage: 'The disk is full. Free some space and transcribe the file again.',
  timeout: 'Reading the file took too long and was stopped.',
  worker_crashed: 'The job was interrupted several times at the same point and was stopped.',
  internal_error: 'Something went wrong inside the appliance. Details are in the log.'
}

export const FAILURE_CODES = Object.keys(FAILURE_MESSAGES) as FailureCode[]

/** An expected failure of a request: the code and the sentence for the caller. */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  /** Response headers this error asks for (`Allow`, `Retry-After`). */
  readonly headers: Readonly<Record<string, string>>
  /** Fields that the reply has besides those of every error. */
  readonly details: Readonly<Record<string, unknown>>

  constructor (
    code: ErrorCode, message: string, options: ErrorOptions & { headers?: Record<string, string>, details?: Record<string, unknown> } = {}
  ) {
    // No stack: making it costs more than many requests, and expected failures do not need one.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    super(message, options)
    Error.stackTraceLimit = stackTraceLimit
    this.code = code
    this.headers = options.headers ?? {}
    this.details = options.details ?? {}
  }
}

/** Fails a job. `message` is for the log; people read `FAILURE_MESSAGES[code]`. */
export class JobFailure extends Error {
  override readonly name = 'JobFailure'
  readonly code: FailureCode

  constructor (code: FailureCode, message: string, options: ErrorOptions = {}) {
    super(message, options)
    this.code = code
  }
}

/** A stream was longer than the limit given for its file. */
export class TooLong extends Error {
  override readonly name = 'TooLong'
}

/** Error codes that mean there is no space left. EFBIG comes from a file size limit (`ulimit -f`). */
const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'SQLITE_FULL'])

/** The code of an error of the system, of SQLite or of the addon, such as ENOENT; undefined when it has none. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined

/** True when another process has held the database lock for longer than we wait. */
export const isBusy = (error: unknown): boolean => errorCode(error)?.startsWith('SQLITE_BUSY') === true

/** True when the error says that the disk, a quota or the database file is full. */
export const isNoRoom = (error: unknown): boolean => NO_ROOM.has(errorCode(error) ?? '')

/** The failure code of a job that ended with `error`. */
export function failureCodeOf (error: unknown): FailureCode {
  if (error instanceof JobFailure) return error.code
  return isNoRoom(error) ? 'insufficient_storage' : 'internal_error'
}
