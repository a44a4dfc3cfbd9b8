/** Every error code with its status and its meaning: the only such table. Replies and the OpenAPI document are made from it. */
import type { ErrorCode } from '../domain/errors.js'

type ErrorReply = {
  status: number
  /** A sentence for the document. */
  when: string
  /** Headers that come with it. */
  headers?: readonly string[]
}

export const ERRORS: Readonly<Record<ErrorCode, ErrorReply>> = {
  invalid_request: { status: 400, when: 'The request is malformed, or a field is not valid; the sentence names the field.' },
  digest_mismatch: { status: 400, when: 'What arrived has another SHA-256 than announced.' },
  unauthorized: { status: 401, when: 'No credential, or one that is unknown, revoked or expired.', headers: ['WWW-Authenticate'] },
  insufficient_scope: { status: 403, when: 'The token was not granted the scope of this operation.', headers: ['WWW-Authenticate'] },
  api_key_required: { status: 403, when: 'This operation takes an API key, not an OAuth token.' },
  administration_off: { status: 403, when: 'Administration over HTTP is off: no password is configured for it.' },
  cross_site_request: { status: 403, when: 'The page of another site sent the request.' },
  not_found: { status: 404, when: 'There is no such thing, or it is somebody else\'s.' },
  method_not_allowed: { status: 405, when: 'The path exists, the method does not.', headers: ['Allow'] },
  request_timeout: { status: 408, when: 'The request took too long to arrive.' },
  conflict: { status: 409, when: 'The state of the thing does not allow it.' },
  parts_missing: { status: 409, when: 'Parts of the upload have not arrived; the sentence lists them.' },
  idempotency_in_flight: { status: 409, when: 'The first request with this Idempotency-Key is still under way.', headers: ['Retry-After'] },
  gone: { status: 410, when: 'It was there, and is not any more.' },
  payload_too_large: { status: 413, when: 'The body is larger than the operation takes.' },
  media_too_large: { status: 413, when: 'The recording is larger than this appliance accepts.' },
  unsupported_media_type: { status: 415, when: 'The content type of the body is not one the operation takes.' },
  expectation_failed: { status: 417, when: 'The Expect header asks for something other than 100-continue.' },
  not_completed: { status: 422, when: 'The transcription is not completed.' },
  quota_exceeded: { status: 429, when: 'The requests that the plan allows per day are used up.', headers: ['Retry-After'] },
  minutes_exceeded: { status: 429, when: 'The minutes of recordings that the plan allows per month are used up.', headers: ['Retry-After'] },
  too_many_attempts: { status: 429, when: 'Too many wrong passwords lately.', headers: ['Retry-After'] },
  idempotency_mismatch: { status: 422, when: 'The Idempotency-Key was used before, for another request.' },
  queue_full: { status: 429, when: 'As many jobs wait as the appliance takes; what was uploaded is kept.', headers: ['Retry-After'] },
  headers_too_large: { status: 431, when: 'The headers are too large.' },
  internal_error: { status: 500, when: 'A fault of the appliance; the administrator finds it in the log under the requestId.' },
  receiver_failed: { status: 502, when: 'The receiver did not take the event; the sentence says why.' },
  unavailable: { status: 503, when: 'The appliance cannot answer right now.' },
  insufficient_storage: { status: 507, when: 'The disk is nearly full: nothing was accepted, and nothing that was is lost.' }
}
