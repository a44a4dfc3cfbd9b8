/** The webhooks section of the OpenAPI document. */
import Type from 'typebox'
import { describeEnd, WEBHOOK_EVENTS, WebhookPayload } from '../../domain/webhook.js'
import type { WebhookEvent } from '../../domain/webhook.js'

const SUMMARIES: Readonly<Record<WebhookEvent, string>> = {
  'transcription.completed': 'A job has completed',
  'transcription.failed': 'A job has failed'
}

const header = (name: string, description: string) => ({ name, in: 'header', required: true, description, schema: Type.String() })

const HEADERS = [
  header('webhook-id', 'id of the event for this receiver; the same when it is sent again'),
  header('webhook-timestamp', 'time of the signature, in seconds since 1970'),
  header('webhook-signature', '`v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, as defined by Standard Webhooks'),
  header('x-service-signature', 'hex HMAC-SHA256 of the raw body; the key is the signing secret as it was shown')
]

const ENDED = {
  id: 42, fileName: 'meeting.mp3', language: 'en', durationMs: 2700, retryCount: 0, completedAt: Date.UTC(2026, 10, 21, 9, 30)
}

function describe (event: WebhookEvent): { post: Record<string, unknown> } {
  const example = describeEnd({ ...ENDED, failureCode: event === 'transcription.failed' ? 'decode_failed' : undefined })
  return {
    post: {
      operationId: event.replace(/\.(.)/, (_, first: string) => first.toUpperCase()),
      summary: SUMMARIES[event],
      description: 'Sent immediately, and then after 1 minute, 5 minutes, 30 minutes, 2 hours and 12 hours, until the receiver accepts ' +
        'it. It may arrive more than once: deduplicate by `webhook-id`.',
      tags: ['Webhooks'],
      security: [],
      parameters: HEADERS,
      requestBody: { content: { 'application/json': { schema: WebhookPayload, example } } },
      responses: {
        '2XX': { description: 'Accepted. The reply must arrive within 10 seconds.' },
        '4XX': { description: 'Not accepted; sent again later. 410 switches the endpoint off.' }
      }
    }
  }
}

/** By event. */
export const WEBHOOKS = Object.fromEntries(WEBHOOK_EVENTS.map((event) => [event, describe(event)]))
