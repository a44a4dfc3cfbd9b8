/** Webhooks: payloads, retry schedule, signatures. */
import Type from 'typebox'
import type { Static } from 'typebox'
import { createHmac, randomBytes } from 'node:crypto'
import { FAILURE_MESSAGES } from './errors.js'
import { toIsoCode } from './language.js'
import type { Job } from './job.js'
import { toSeconds } from './transcript.js'

export const WEBHOOK_EVENTS = ['transcription.completed', 'transcription.failed'] as const
export type WebhookEvent = typeof WEBHOOK_EVENTS[number]
export const TEST_EVENT = 'webhook.test'

export type DeliveryStatus = 'pending' | 'delivered' | 'failed'
/** How many deliveries of a job are in each status. */
export type DeliveryCounts = Record<DeliveryStatus, number>

export const ATTEMPT_STATUSES = ['success', 'failed'] as const
export type AttemptStatus = typeof ATTEMPT_STATUSES[number]

/** A receiver of one job, besides the owner's endpoints. */
export type JobWebhook = { url: string, secret: string }

/** The body of every request to a receiver. */
export const WebhookPayload = Type.Object({
  event: Type.String(),
  data: Type.Object({
    transcriptionId: Type.Integer({ description: 'also the id of the job; 0 in a test event' }),
    status: Type.Enum(['completed', 'failed']),
    fileName: Type.String(),
    language: Type.Union([Type.String(), Type.Null()], { description: 'null if unknown' }),
    duration: Type.Union([Type.Number(), Type.Null()], { description: 'seconds; null if unknown' }),
    completedAt: Type.String({ format: 'date-time', description: 'end of the job, completed or failed' }),
    retryCount: Type.Integer({ minimum: 0, description: 'number of retries of the job' }),
    failure: Type.Optional(Type.Object({ code: Type.String(), message: Type.String() }, { description: 'only if failed' }))
  })
}, { title: 'WebhookPayload' })
export type WebhookPayload = Static<typeof WebhookPayload>

export const eventOf = ({ failureCode }: Pick<Job, 'failureCode'>): WebhookEvent =>
  failureCode === undefined ? 'transcription.completed' : 'transcription.failed'

type Ended = Pick<Job, 'id' | 'language' | 'durationMs' | 'failureCode' | 'retryCount'> & { fileName: string, completedAt: number }

/** The payload for a job that has ended. */
export function describeEnd (job: Ended, event: string = eventOf(job)): WebhookPayload {
  const { id, fileName, language, durationMs, failureCode, retryCount, completedAt } = job
  return {
    event,
    data: {
      transcriptionId: id,
      status: failureCode === undefined ? 'completed' : 'failed',
      fileName,
      language: language === undefined ? null : toIsoCode(language),
      duration: durationMs === undefined ? null : toSeconds(durationMs),
      completedAt: new Date(completedAt).toISOString(),
      retryCount,
      ...(failureCode === undefined ? {} : { failure: { code: failureCode, message: FAILURE_MESSAGES[failureCode] } })
    }
  }
}

/** The payload of a test event. It looks like that of a real job. */
export function describeTest (event: string, now: number): WebhookPayload {
  const failed = event === 'transcription.failed' ? 'decode_failed' : undefined
  return describeEnd(
    { id: 0, fileName: 'test.mp3', language: 'en', durationMs: 60_000, failureCode: failed, retryCount: 0, completedAt: now },
    event
  )
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Pauses before the second attempt, the third, and so on. */
export const SCHEDULE_MS: readonly number[] = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 12 * HOUR_MS]
/** The longest `Retry-After` we honour; longer requests are cut to this. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS
/** No attempt is ever planned later than this from now. */
export const MAX_PAUSE_MS = Math.max(...SCHEDULE_MS, MAX_RETRY_AFTER_MS)

/**
 * When to retry after `failures` failed attempts, the last one at `now`. Undefined when no retries are left. A receiver can ask for a
 * later time, but not for an earlier one.
 */
export function nextDueAt (failures: number, now: number, retryAfterMs = 0): number | undefined {
  const pauseMs = SCHEDULE_MS[failures - 1]
  return pauseMs === undefined ? undefined : now + Math.max(pauseMs, Math.min(retryAfterMs, MAX_RETRY_AFTER_MS))
}

/** Parses `Retry-After`, seconds or a date, to milliseconds from `now`. Undefined when it is neither. */
export function parseRetryAfter (header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1000
  // RFC 9110 dates begin with the day of the week; Date.parse would read "1" as a year.
  const date = /^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/.test(text) ? Date.parse(text) : NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

const SECRET_PREFIX = 'whsec_'
/** Longest secret that callers may choose, in characters. */
export const MAX_SECRET_LENGTH = 256

/** A new signing secret, in the form that Standard Webhooks verifiers accept. */
export function generateSecret (): string {
  return SECRET_PREFIX + randomBytes(32).toString('base64')
}

/** A new id for one event to one receiver. Retries carry the same id. */
export function generateMessageId (): string {
  return 'msg_' + randomBytes(18).toString('base64url')
}

/**
 * The signing key of Standard Webhooks: the bytes after `whsec_`, from base64. A secret in another form is used as it is; verifiers call
 * that "raw".
 */
function standardKey (secret: string): Buffer {
  const encoded = secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : ''
  const key = Buffer.from(encoded, 'base64')
  return key.length > 0 && key.toString('base64') === encoded ? key : Buffer.from(secret)
}

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text)

/**
 * The signature headers of a request: those of Standard Webhooks, which sign the message id, the time and `body`, and a plain signature
 * of `body`.
 */
export function signedHeaders (secret: string, messageId: string, body: string, now: number): Record<string, string> {
  const seconds = Math.floor(now / 1000)
  return {
    'x-service-signature': hmac(secret, body).digest('hex'),
    'webhook-id': messageId,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${hmac(standardKey(secret), `${messageId}.${seconds}.${body}`).digest('base64')}`
  }
}
