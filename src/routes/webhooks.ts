/** Webhook endpoints, test events and deliveries. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import type { Endpoint as StoredEndpoint, LoggedAttempt } from '../domain/delivery.js'
import { MAX_WEBHOOK_URL_LENGTH } from '../domain/submission.js'
import { ATTEMPT_STATUSES, MAX_SECRET_LENGTH, WEBHOOK_EVENTS } from '../domain/webhook.js'
import type { Deliveries } from '../service/deliveries.js'
import type { Webhooks } from '../service/webhooks.js'
import { operation } from './contract/operation.js'
import { principalOf } from './plugins/auth.js'
import { Id, IdParams, ok, Success, toIsoTime } from './contract/schemas.js'

const MAX_LISTED = 100
const LISTED = 50

const ReceiverUrl = Type.String({ format: 'uri', minLength: 1, maxLength: MAX_WEBHOOK_URL_LENGTH, description: 'http or https' })
const Secret = Type.String({ minLength: 1, maxLength: MAX_SECRET_LENGTH })
const orNull = <T extends Type.TSchema>(schema: T, description: string) => Type.Union([schema, Type.Null()], { description })

/** Fields that name a webhook for a single job, for operations that create one. `parseJobWebhook` applies the rules. */
export const JobWebhookFields = {
  webhookUrl: Type.Optional(Type.String({ ...ReceiverUrl, description: 'also notified when this job ends, in addition to the endpoints' })),
  webhookSecret: Type.Optional(Type.String({
    ...Secret, description: 'signs requests to webhookUrl; if left out, one is generated and returned in the reply'
  }))
}
/** The secret that was generated for a webhookUrl without one. */
export const MadeSecret = Type.Optional(Type.String({
  description: 'signs requests to webhookUrl; shown only here, and only if none was given'
}))

const ENDPOINT = { id: 3, url: 'https://example.org/hooks/stenobox', isActive: true, apiKeyId: null, createdAt: '2026-11-21T09:00:00.000Z' }
const endpointFields = {
  id: Type.Integer(),
  url: Type.String(),
  isActive: Type.Boolean({ description: 'a reply with status 410 switches the endpoint off' }),
  apiKeyId: orNull(Type.Integer(), 'only jobs created with this key; null: all jobs'),
  createdAt: Type.String({ format: 'date-time' })
}
const Endpoint = Type.Object(endpointFields, { title: 'WebhookEndpoint' })
const OneEndpoint = Type.Object({ endpoint: Endpoint }, { description: 'The endpoint.', examples: [{ endpoint: ENDPOINT }] })
const CreatedEndpoint = Type.Object({
  endpoint: Type.Object({ ...endpointFields, signingSecret: Type.String({ description: 'shown only once' }) }, {
    title: 'CreatedWebhookEndpoint'
  })
}, {
  description: 'The endpoint and its secret.',
  examples: [{ endpoint: { ...ENDPOINT, signingSecret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwLpGHNBiuhDo=' } }]
})
const Endpoints = Type.Array(Endpoint, { description: 'All endpoints, oldest first.', examples: [[ENDPOINT]] })
const RemovedEndpoint = Type.Object({ id: Type.Integer() }, { description: 'The endpoint was deleted.', examples: [{ id: 3 }] })

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
  webhookId: Type.String({ description: 'the webhook-id header: the same for all requests of one event to one receiver' }),
  url: Type.String(),
  status: Type.Enum(ATTEMPT_STATUSES),
  attempt: Type.Integer({ description: 'counted from 1; an attempt has up to three requests in quick succession' }),
  responseCode: orNull(Type.Integer(), 'null: no answer'),
  error: orNull(Type.String(), 'a message; null on success'),
  durationMs: Type.Integer(),
  createdAt: Type.String({ format: 'date-time' }),
  nextAttemptAt: orNull(Type.String({ format: 'date-time' }), 'next attempt for this event; null: none')
}, { title: 'WebhookDelivery' })
const DELIVERY = {
  id: 7, endpointId: 3, transcriptionId: 42, event: 'transcription.completed', webhookId: 'msg_Zt3oq0JbX1mYw6cN9d2LhK4s', url: ENDPOINT.url,
  status: 'success', attempt: 1, responseCode: 204, error: null, durationMs: 83, createdAt: '2026-11-21T09:30:00.000Z', nextAttemptAt: null
}
const OneDelivery = Type.Object({ delivery: Delivery }, { description: 'The request that succeeded.', examples: [{ delivery: DELIVERY }] })
const DeliveriesReply = Type.Array(Delivery, { description: 'Requests, newest first.', examples: [[DELIVERY]] })
const DeliveriesQuery = Type.Object({
  endpointId: Type.Optional(Id),
  status: Type.Optional(Type.Enum(ATTEMPT_STATUSES)),
  limit: Type.Integer({ minimum: 1, maximum: MAX_LISTED, default: LISTED })
})

const TestBody = Type.Object({
  url: ReceiverUrl,
  eventType: Type.Optional(Type.String({ minLength: 1, maxLength: 100, description: 'default: webhook.test' })),
  signingSecret: Type.Optional(Type.String({
    ...Secret, description: 'default: the secret of your endpoint with this url, or a new one, which the reply contains'
  }))
}, { title: 'WebhookTest', additionalProperties: false, examples: [{ url: ENDPOINT.url }] })
const TestReply = Type.Object({
  event: Type.String(),
  webhookId: Type.String(),
  responseCode: Type.Integer(),
  durationMs: Type.Integer(),
  signingSecret: Type.Optional(Type.String({ description: 'only if a new one was generated' }))
}, {
  title: 'WebhookTestResult',
  description: 'The receiver answered 200 to 299.',
  examples: [{ event: 'webhook.test', webhookId: DELIVERY.webhookId, responseCode: 204, durationMs: 83 }]
})

function toEndpoint ({ id, url, isActive, apiKeyId, createdAt }: StoredEndpoint): Static<typeof Endpoint> {
  return { id, url, isActive, apiKeyId: apiKeyId ?? null, createdAt: toIsoTime(createdAt) }
}

function toDelivery (logged: LoggedAttempt): Static<typeof Delivery> {
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
    summary: 'Create a webhook endpoint',
    description: 'An endpoint receives the events of all jobs, or only those of jobs created with one key. ' +
      'The signing secret is shown only in this reply. An owner can have 100 endpoints.',
    caller: 'api_key',
    idempotent: true,
    body: CreateBody,
    replies: { 201: Success(CreatedEndpoint) },
    errors: ['conflict']
  }), async (request, reply) => {
    const { endpoint, secret } = await webhooks.create(principalOf(request).ownerId, request.body)
    return reply.code(201).send(ok({ endpoint: { ...toEndpoint(endpoint), signingSecret: secret } }))
  })

  app.get('/webhooks/endpoints', operation({
    operationId: 'listWebhookEndpoints',
    tag: 'Webhooks',
    summary: 'List webhook endpoints',
    caller: 'api_key',
    replies: { 200: Success(Endpoints) }
  }), async (request) => ok(webhooks.list(principalOf(request).ownerId).map(toEndpoint)))

  app.patch('/webhooks/endpoints/:id', operation({
    operationId: 'updateWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Change a webhook endpoint',
    description: 'Events that are waiting are sent to the new url. If the endpoint is switched off, they fail.',
    caller: 'api_key',
    params: IdParams,
    body: UpdateBody,
    replies: { 200: Success(OneEndpoint) },
    errors: ['not_found']
  }), async (request) => ok({ endpoint: toEndpoint(await webhooks.update(request.params.id, principalOf(request).ownerId, request.body)) }))

  app.delete('/webhooks/endpoints/:id', operation({
    operationId: 'deleteWebhookEndpoint',
    tag: 'Webhooks',
    summary: 'Delete a webhook endpoint',
    description: 'Events that are waiting for it fail. Past deliveries stay in the list.',
    caller: 'api_key',
    params: IdParams,
    replies: { 200: Success(RemovedEndpoint) },
    errors: ['not_found']
  }), async (request) => {
    webhooks.remove(request.params.id, principalOf(request).ownerId)
    return ok({ id: request.params.id })
  })
}

type DeliveryDeps = { webhooks: Webhooks, deliveries: Deliveries }

export const deliveryRoutes: FastifyPluginAsyncTypebox<DeliveryDeps> = async (app, { webhooks, deliveries }) => {
  app.post('/webhooks/test', operation({
    operationId: 'sendTestWebhook',
    tag: 'Webhooks',
    summary: 'Send a test event',
    description: 'The event is signed like a real one and sent once. It is not listed in the deliveries.',
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
    summary: 'List webhook deliveries',
    description: 'Every HTTP request sent for an event in the last 30 days, newest first.',
    caller: 'api_key',
    querystring: DeliveriesQuery,
    replies: { 200: Success(DeliveriesReply) }
  }), async (request) => ok(deliveries.list(principalOf(request).ownerId, request.query).map(toDelivery)))

  app.post('/webhooks/deliveries/:id/retry', operation({
    operationId: 'retryWebhookDelivery',
    tag: 'Webhooks',
    summary: 'Send an event again now',
    description: 'The request has a new signature and the same webhook-id. If it fails, later attempts still happen as planned.',
    caller: 'api_key',
    params: IdParams,
    replies: { 200: Success(OneDelivery) },
    errors: ['not_found', 'conflict', 'receiver_failed']
  }), async (request) => ok({ delivery: toDelivery(await deliveries.retry(request.params.id, principalOf(request).ownerId)) }))
}
