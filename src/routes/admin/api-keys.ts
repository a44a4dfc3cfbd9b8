/** API keys of all owners. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import { KEY_STATES, MAX_GRACE_SECONDS, MAX_KEY_SECONDS, PLANS } from '../../domain/access.js'
import type { Keys, KeyView } from '../../service/keys.js'
import { operation } from '../contract/operation.js'
import { PAGE_QUERY, PageOf, readPage } from '../contract/paging.js'
import { audit } from '../plugins/session.js'
import { Id, IdParams, Name, ok, Success, toIsoTime } from '../contract/schemas.js'

const Time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

const EXAMPLE = {
  id: 7, name: 'laptop', ownerId: 3, owner: 'anna', plan: 'pro', lastFour: 'x3Qk', state: 'live', createdAt: '2026-11-21T09:00:00.000Z'
}

const ApiKey = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  ownerId: Type.Integer(),
  owner: Type.String({ description: 'the name of the owner' }),
  plan: Type.Enum(PLANS),
  lastFour: Type.String({ description: 'last four characters of the key' }),
  state: Type.Enum(KEY_STATES, { description: 'only live keys are accepted' }),
  createdAt: Type.String({ format: 'date-time' }),
  lastUsedAt: Time('last use, to the minute'),
  expiresAt: Time('expiry time'),
  revokedAt: Time('time of revocation'),
  replacedBy: Type.Optional(Type.Integer({ description: 'id of the key that replaced it' }))
}, { title: 'ApiKey', description: 'The key.', examples: [{ ...EXAMPLE, lastUsedAt: '2026-11-21T09:30:00.000Z' }] })

const CreatedKey = Type.Object({
  ...ApiKey.properties,
  key: Type.String({ description: 'the key itself, shown only once' })
}, {
  title: 'CreatedApiKey',
  description: 'The new key.',
  examples: [{ ...EXAMPLE, key: 'service_sk_2bD1mM0Zr0wq5k3sY9o7VhXcTtq8uJ4nE6aLfPiGx3Qk' }]
})

const CreateBody = Type.Object({
  name: Name,
  ownerId: Id,
  plan: Type.Optional(Type.Enum(PLANS, { description: 'default: the plan of the owner' })),
  expiresInSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_KEY_SECONDS, description: 'default: no expiry' }))
}, { title: 'NewApiKey', additionalProperties: false, examples: [{ name: 'laptop', ownerId: 3, plan: 'pro' }] })

const RotateBody = Type.Object({
  graceSeconds: Type.Integer({
    minimum: 0, maximum: MAX_GRACE_SECONDS, description: 'seconds for which the old key still works; 0: it stops working immediately'
  })
}, { title: 'ApiKeyRotation', additionalProperties: false, examples: [{ graceSeconds: 86_400 }] })

const ListQuery = Type.Object({ ...PAGE_QUERY, ownerId: Type.Optional(Id) })

function toApiKey ({ lastUsedAt, expiresAt, revokedAt, replacedBy, createdAt, ...key }: KeyView): Static<typeof ApiKey> {
  return {
    ...key,
    createdAt: toIsoTime(createdAt),
    ...(lastUsedAt === undefined ? {} : { lastUsedAt: toIsoTime(lastUsedAt) }),
    ...(expiresAt === undefined ? {} : { expiresAt: toIsoTime(expiresAt) }),
    ...(revokedAt === undefined ? {} : { revokedAt: toIsoTime(revokedAt) }),
    ...(replacedBy === undefined ? {} : { replacedBy })
  }
}

export const apiKeyRoutes: FastifyPluginAsyncTypebox<{ keys: Keys }> = async (app, { keys }) => {
  app.get('/keys', operation({
    operationId: 'listApiKeys',
    tag: 'Administration',
    summary: 'List API keys',
    caller: 'administrator',
    querystring: ListQuery,
    replies: { 200: PageOf('ApiKeyPage', ApiKey, 'The keys, oldest first.') }
  }), async (request) => readPage(request.query, (page) => keys.list(page, request.query.ownerId).map(toApiKey)))

  app.post('/keys', operation({
    operationId: 'createApiKey',
    tag: 'Administration',
    summary: 'Create an API key',
    caller: 'administrator',
    idempotent: true,
    body: CreateBody,
    replies: { 201: Success(CreatedKey) },
    errors: ['not_found']
  }), async (request, reply) => {
    const { ownerId, ...options } = request.body
    const { id, key } = keys.createFor(ownerId, options)
    audit(request, { keyId: id, ownerId })
    return reply.code(201).send(ok({ ...toApiKey(keys.find(id)), key }))
  })

  app.delete('/keys/:id', operation({
    operationId: 'revokeApiKey',
    tag: 'Administration',
    summary: 'Revoke an API key',
    description: 'The key stops working immediately and stays in the list as revoked. Revoking it again changes nothing.',
    caller: 'administrator',
    params: IdParams,
    replies: { 200: Success(ApiKey) },
    errors: ['not_found']
  }), async (request) => {
    const { id } = request.params
    if (keys.revoke(id)) audit(request, { keyId: id })
    return ok(toApiKey(keys.find(id)))
  })

  app.post('/keys/:id/rotate', operation({
    operationId: 'rotateApiKey',
    tag: 'Administration',
    summary: 'Replace an API key',
    description: 'Creates a key with the same owner, name, plan and lifetime. The old key works until the grace period is over.',
    caller: 'administrator',
    idempotent: true,
    params: IdParams,
    body: RotateBody,
    replies: { 201: Success(CreatedKey) },
    errors: ['not_found', 'conflict']
  }), async (request, reply) => {
    const { id, key } = keys.rotate(request.params.id, request.body.graceSeconds)
    audit(request, { keyId: request.params.id, replacedBy: id })
    return reply.code(201).send(ok({ ...toApiKey(keys.find(id)), key }))
  })
}
