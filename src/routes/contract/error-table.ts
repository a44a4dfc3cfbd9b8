/** Every error code with its status and meaning. Replies and the OpenAPI document are made from this table. */
import type { ErrorCode } from '../../domain/errors.js'

type ErrorReply = {
  status: number
  /** A sentence for the OpenAPI document. */
  when: string
  /** Headers of the reply. */
  headers?: readonly string[]
}

export const ERRORS: Readonly<Record<ErrorCode, ErrorReply>> = {
  invalid_request: { status: 400, when: 'The request is malformed or a field is invalid. The message names the field.' },
  digest_mismatch: { status: 400, when: 'The SHA-256 of the received bytes is not the announced one.' },
  unauthorized: { status: 401, when: 'The credential is missing, unknown, revoked or expired.', headers: ['WWW-Authenticate'] },
  insufficient_scope: { status: 403, when: 'The token does not have the scope of this operation.', headers: ['WWW-Authenticate'] },
  api_key_required: { status: 403, when: 'This operation needs an API key; OAuth tokens are not accepted.' },
  session_required: { status: 403, when: 'This operation needs the session of a person; keys and tokens are not accepted.' },
  administrator_required: { status: 403, when: 'The account is not that of an administrator.' },
  wrong_password: { status: 403, when: 'The current password is missing or wrong.' },
  sign_in_too_old: { status: 403, when: 'This account has no password, and the person signed in too long ago for this. Sign in again.' },
  sign_in_refused: { status: 403, when: 'The identity provider did not confirm who signs in.' },
  no_account: { status: 403, when: 'The person is known to the identity provider, but has no account here.' },
  sharing_off: { status: 403, when: 'Sharing by links is off on this appliance.' },
  administration_off: { status: 403, when: 'Administration over HTTP is off because no password is configured.' },
  not_in_plan: { status: 403, when: 'The plan of the caller does not include this.' },
  cross_site_request: { status: 403, when: 'The request was sent by a page of another site.' },
  not_found: { status: 404, when: 'It does not exist, or it belongs to another owner.' },
  method_not_allowed: { status: 405, when: 'The path exists, but not with this method.', headers: ['Allow'] },
  request_timeout: { status: 408, when: 'The request took too long to arrive.' },
  conflict: { status: 409, when: 'The current state does not allow this. The message says why.' },
  sign_in_expired: { status: 409, when: 'The sign-in at the identity provider is over, or was begun in another browser. Begin again.' },
  edit_conflict: { status: 409, when: 'The segment has changed since. The field `current` of the reply has it as it is now.' },
  parts_missing: { status: 409, when: 'Parts of the upload are missing. The message lists them.' },
  idempotency_in_flight: { status: 409, when: 'The first request with this Idempotency-Key is still running.', headers: ['Retry-After'] },
  gone: { status: 410, when: 'It existed but has expired or been removed.' },
  payload_too_large: { status: 413, when: 'The body is larger than this operation accepts.' },
  media_too_large: { status: 413, when: 'The recording is larger than this appliance accepts.' },
  unsupported_media_type: { status: 415, when: 'This operation does not accept the content type of the body.' },
  range_not_satisfiable: { status: 416, when: 'The file has no such bytes.', headers: ['Content-Range'] },
  expectation_failed: { status: 417, when: 'The Expect header asks for something other than 100-continue.' },
  not_completed: { status: 422, when: 'The transcription is not completed.' },
  quota_exceeded: { status: 429, when: 'The daily requests of the plan are used up.', headers: ['Retry-After'] },
  minutes_exceeded: { status: 429, when: 'The monthly minutes of the plan are used up.', headers: ['Retry-After'] },
  too_many_attempts: { status: 429, when: 'Too many wrong passwords. Try again later.', headers: ['Retry-After'] },
  idempotency_mismatch: { status: 422, when: 'The Idempotency-Key was already used for a different request.' },
  queue_full: { status: 429, when: 'The queue is full. Uploaded parts are kept; try again later.', headers: ['Retry-After'] },
  headers_too_large: { status: 431, when: 'The headers are too large.' },
  internal_error: { status: 500, when: 'The appliance failed. The administrator finds details in the log under the requestId.' },
  receiver_failed: { status: 502, when: 'The receiver did not accept the event. The message says why.' },
  unavailable: { status: 503, when: 'The appliance cannot answer now. Try again later.' },
  insufficient_storage: { status: 507, when: 'The disk is nearly full. The request was refused; accepted work is not lost.' }
}
