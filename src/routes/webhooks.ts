/** Webhooks: endpoints, tests, and what was sent. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import { ATTEMPT_STATUSES, MAX_SECRET_LENGTH, WEBHOOK_EVENTS } from '../domain/webhook.js'
import type { Deliveries } from '../service/deliveries.js'
import type { Webhooks } from '../service/webhooks.js'
import { operation } from './operation.js'
import { principalOf } from './plugins/auth.js'
import { Id, IdParams, ok, Success, toIsoTime } from './schemas.js'

const MAX_LISTED = 100
const LISTED = 50

const ReceiverUrl = Type.String({ format: 'uri', minLength: 1, maxLength: 2048, description: 'http or https' })
const Secret = Type.String({ minLength: 1, maxLength: MAX_SECRET_LENGTH })
const orNull = <T extends Type.TSchema>(schema: T, description: string) => Type.Union([schema, Type.Null()], { description })

/** Fields with which an operation that makes a job takes a webhook of that job alone. `Webhooks.openJobWebhook` reads them. */
export const JobWebhookFields = {
  webhookUrl: Type.Optional(Type.String({ ...ReceiverUrl, description: 'told of the end of this job, besides the endpoints' })),
  webhookSecret: Type.Optional(Type.String({ ...Secret, description: 'signs what is sent there; made, and shown in the reply, when left out' }))
}
/** The secret that was made because a caller named a webhook without one. */
export const MadeSecret = Type.Optional(Type.String({ description: 'signs what is sent to webhookUrl; shown once, and only when none was given' }))

/** The field of the reply: there when a secret was made, because the caller gave none. */
export function toMadeSecret (webhook: { secret: string } | undefined, given: string | undefined): { webhookSecret?: string } {
  return webhook && given === undefined ? { webhookSecret: webhook.secret } : {}
}

const ENDPOINT = { id: 3, url: 'https://example.org/hooks/stenobox', isActive: true, apiKeyId: null, createdAt: '2026-11-21T09:00:00.000Z' }
const endpointFields = {
  id: Type.Integer(),
  url: Type.String(),
  isActive: Type.Boolean({ description: 'an endpoint that answers 410 is switched off' }),
  apiKeyId: orNull(Type.Integer(), 'only jobs made with this key; null: all jobs'),
  createdAt: Type.String({ format: 'date-time' })
}
const Endpoint = Type.Object(endpointFields, { title: 'WebhookEndpoint' })
const OneEndpoint = Type.Object({ endpoint: Endpoint }, { description: 'The endpoint.', examples: [{ endpoint: ENDPOINT }] })
const CreatedEndpoint = Type.Object({
  endpoint: Type.Object({ ...endpointFields, signingSecret: Type.String({ description: 'shown this once' }) }, { title: 'CreatedWebhookEndpoint' })
}, { description: 'The endpoint and its secret.', examples: [{ endpoint: { ...ENDPOINT, signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwLpGHNBiuhDo=' } }] })
const Endpoints = Type.Array(Endpoint, { description: 'All endpoints, oldest first.', examples: [[ENDPOINT]] })
const RemovedEndpoint = Type.Object({ id: Type.Integer() }, { description: 'The endpoint is gone.', examples: [{ id: 3 }] })

const CreateBody = Type.Object({ url: ReceiverUrl, apiKeyId: Type.Optional(Id) }, {
  title: 'WebhookEndpointCreate', additionalProperties: false, examples: [{ url: ENDPOINT.url }]
})
const UpdateBody = Type.Object({
  url: Type.Optional(ReceiverUrl),
  apiKeyId: Type.Optional(orNull(Id, 'null: all jobs')),
  isActive: Type.Optional(Type.Boolean())
}, { title: 'WebhookEndpointUpdate', additionalProperties: false, examples: [{ isActive: false }] })

const Delivery = Type.Object({
  id: Type.Integer(),
  endpointId: orNull(Type.Integer(), 'null: the webhookUrl of the job'),
  transcriptionId: Type.Integer(),
  event: Type.Enum(WEBHOOK_EVENTS),
  webhookId: Type.String({ description: 'the header webhook-id: the same whenever this event is sent to this receiver' }),
  url: Type.String(),
  status: Type.Enum(ATTEMPT_STATUSES),
  attempt: Type.Integer({ description: 'from 1; an attempt is up to three requests in short order' }),
  responseCode: orNull(Type.Integer(), 'null: there was no answer'),
  error: orNull(Type.String(), 'a sentence; null on success'),
  durationMs: Type.Integer(),
  createdAt: Type.String({ format: 'date-time' }),
  nextAttemptAt: orNull(Type.String({ format: 'date-time' }), 'when this event is sent again; null: not any more')
}, { title: 'WebhookDelivery' })
const DELIVERY = {
  id: 7, endpointId: 3, transcriptionId: 42, event: 'transcription.completed', webhookId: 'msg_Zt3oq0JbX1mYw6cN9d2LhK4s', url: ENDPOINT.url, status: 'success',
  attempt: 1, responseCode: 204, error: null, durationMs: 83, createdAt: '2026-11-21T09:30:00.000Z', nextAttemptAt: null
}
const OneDelivery = Type.Object({ delivery: Delivery }, { description: 'The request that succeeded.', examples: [{ delivery: DELIVERY }] })
const DeliveriesReply = Type.Array(Delivery, { description: 'Requests, latest first.', examples: [[DELIVERY]] })
const DeliveriesQuery = Type.Object({
  endpointId: Type.Optional(Id),
  status: Type.Optional(Type.Enum(ATTEMPT_STATUSES)),
  limit: Type.Integer({ minimum: 1, maximum: MAX_LISTED, default: LISTED })
})

const TestBody = Type.Object({
  url: ReceiverUrl,
  eventType: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'instead of webhook.test' })),
  signingSecret: Type.Optional(Type.String({ ...Secret, description: 'left out: that of your endpoint with this url, else a new one, shown in the reply' }))
}, { title: 'WebhookTest', additionalProperties: false, examples: [{ url: ENDPOINT.url }] })
const TestReply = Type.Object({
  event: Type.String(),
  webhookId: Type.String(),
  responseCode: Type.Integer(),
  durationMs: Type.Integer(),
  signingSecret: Type.Optional(Type.String({ description: 'when a new one was made' }))
}, {
  title: 'WebhookTestResult',
  description: 'The receiver answered 200 to 299.',
  examples: [{ event: 'webhook.test', webhookId: DELIVERY.webhookId, responseCode: 204, durationMs: 83 }]
})

function toEndpoint ({ id, url, isActive, apiKeyId, createdAt }: ReturnType<Webhooks['list']>[number]): Static<typeof Endpoint> {
  return { id, url, isActive, apiKeyId: apiKeyId ?? null, createdAt: toIsoTime(createdAt) }
}

function toDelivery (logged: ReturnType<Deliveries['list']>[number]): Static<typeof Delivery> {
  const { id, endpointId, jobId, event, messageId, url, status, attempt, responseCode, error, durationMs, at, nextAttemptAt } = logged
  return {
    id,
    endpointId: endpointId ?? null,
    transcriptionId: jobId,
    event,
    webhookId: messageId,
    url,
    status,
    attempt,
    responseCode: responseCode ?? null,
    error: error ?? null,
    durationMs,
    createdAt: toIsoTime(at),
    nextAttemptAt: nextAttemptAt === undefined ? null : toIsoTime(nextAttemptAt)
  }
}

export const endpointRoutes: FastifyPluginAsyncTypebox<{ webhooks: Webhooks }> = async (app, { webhooks }) => {
  app.post('/webhooks/endpoints', operation({
    operationId: 'createWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Register a receiver of events',
    description: 'It hears of every job that ends, or of those made with one key. The signing secret is in this reply and nowhere else. An owner has at most 100.',
    caller: 'api_key',
    idempotent: true,
    body: CreateBody,
    replies: { 201: Success(CreatedEndpoint) },
    errors: ['conflict']
  }), async (request, reply) => {
    const { endpoint, secret } = await webhooks.create(principalOf(request).ownerId, request.body)
    return reply.code(201).header('cache-control', 'no-store').send(ok({ endpoint: { ...toEndpoint(endpoint), signingSecret: secret } }))
  })

  app.get('/webhooks/endpoints', operation({
    operationId: 'listWebhookEndpoints', tag: 'Webhooks', summary: 'All receivers', caller: 'api_key', replies: { 200: Success(Endpoints) }
  }), async (request) => ok(webhooks.list(principalOf(request).ownerId).map(toEndpoint)))

  app.patch('/webhooks/endpoints/:id', operation({
    operationId: 'updateWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Change a receiver',
    description: 'What waits goes to the new url. What waits for a receiver that is switched off has failed.',
    caller: 'api_key',
    params: IdParams,
    body: UpdateBody,
    replies: { 200: Success(OneEndpoint) },
    errors: ['not_found']
  }), async (request) => ok({ endpoint: toEndpoint(await webhooks.update(request.params.id, principalOf(request).ownerId, request.body)) }))

  app.delete('/webhooks/endpoints/:id', operation({
    operationId: 'deleteWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Delete a receiver',
    description: 'Its secret is gone; what was sent stays listed, what waits has failed.',
    caller: 'api_key',
    params: IdParams,
    replies: { 200: Success(RemovedEndpoint) },
    errors: ['not_found']
  }), async (request) => {
    webhooks.remove(request.params.id, principalOf(request).ownerId)
    return ok({ id: request.params.id })
  })
}

export const deliveryRoutes: FastifyPluginAsyncTypebox<{ webhooks: Webhooks, deliveries: Deliveries }> = async (app, { webhooks, deliveries }) => {
  app.post('/webhooks/test', operation({
    operationId: 'sendTestWebhook',
    tag: 'Webhooks',
    summary: 'Send a test event',
    description: 'Signed like a real one, sent once, not listed.',
    caller: 'api_key',
    body: TestBody,
    replies: { 200: Success(TestReply) },
    errors: ['receiver_failed']
  }), async (request) => {
    const { url, eventType, signingSecret } = request.body
    const { ownerId } = principalOf(request)
    const { secret, isNew } = await webhooks.chooseSecret(ownerId, url, signingSecret)
    const { messageId, ...result } = await deliveries.test({ ownerId, url, event: eventType, secret })
    return ok({ ...result, webhookId: messageId, ...(isNew ? { signingSecret: secret } : {}) })
  })

  app.get('/webhooks/deliveries', operation({
    operationId: 'listWebhookDeliveries',
    tag: 'Webhooks',
    summary: 'What was sent',
    description: 'Every HTTP request that was made for an event in the last 30 days, latest first.',
    caller: 'api_key',
    querystring: DeliveriesQuery,
    replies: { 200: Success(DeliveriesReply) }
  }), async (request) => ok(deliveries.list(principalOf(request).ownerId, request.query).map(toDelivery)))

  app.post('/webhooks/deliveries/:id/retry', operation({
    operationId: 'retryWebhookDelivery',
    tag: 'Webhooks',
    summary: 'Send an event again now',
    description: 'With a fresh signature and the same webhook-id. When it fails, what was planned for the event stays planned.',
    caller: 'api_key',
    params: IdParams,
    replies: { 200: Success(OneDelivery) },
    errors: ['not_found', 'conflict', 'receiver_failed']
  }), async (request) => ok({ delivery: toDelivery(await deliveries.retry(request.params.id, principalOf(request).ownerId)) }))
}
