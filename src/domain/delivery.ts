/** Webhook endpoints, deliveries to them, and the log of HTTP requests. Times are in ms since 1970. */
import type { AttemptStatus, DeliveryStatus, WebhookEvent } from './webhook.js'

export type Endpoint = { id: number, ownerId: number, url: string, isActive: boolean, apiKeyId: number | undefined, createdAt: number }

/** A receiver of the end of a job: an endpoint, or the job's own `webhookUrl` (`endpointId` undefined). */
export type Target = { endpointId: number | undefined, url: string }

/** One event for one receiver. */
export type Delivery = {
  id: number
  jobId: number
  ownerId: number
  endpointId: number | undefined
  messageId: string
  body: string
  /** The current URL of the endpoint, so that a corrected URL also applies to pending deliveries. */
  url: string
  secret: string
  status: DeliveryStatus
}

/** One HTTP request and its result. */
export type HttpAttempt = {
  url: string, status: AttemptStatus, responseCode: number | undefined, error: string | undefined, durationMs: number, at: number
}

/** An HTTP request in the log, with its delivery. `nextAttemptAt`: undefined when no attempt is planned. */
export type LoggedAttempt = HttpAttempt & {
  id: number, endpointId: number | undefined, jobId: number, event: WebhookEvent, messageId: string, attempt: number
  nextAttemptAt: number | undefined
}

/** Selects up to `limit` requests of the log. */
export type AttemptFilter = { endpointId?: number | undefined, status?: AttemptStatus | undefined, limit: number }
