/** API keys of all owners. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import { KEY_STATES, MAX_GRACE_SECONDS, MAX_KEY_SECONDS, PLANS } from '../../domain/access.js'
import type { Keys, KeyView } from '../../service/keys.js'
import { operation } from '../operation.js'
import { PAGE_QUERY, PageOf, readPage } from '../paging.js'
import { audit } from '../plugins/session.js'
import { Id, IdParams, Name, ok, Success, toIsoTime } from '../schemas.js'

const Time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

const EXAMPLE = { id: 7, name: 'laptop', ownerId: 3, owner: 'anna', plan: 'pro', lastFour: 'x3Qk', state: 'live', createdAt: '2026-11-21T09:00:00.000Z' }

const ApiKey = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  ownerId: Type.Integer(),
  owner: Type.String({ description: 'the name of the owner' }),
  plan: Type.Enum(PLANS),
  lastFour: Type.String({ description: 'the last four characters, to tell keys apart' }),
  state: Type.Enum(KEY_STATES, { description: 'only live keys open anything' }),
  createdAt: Type.String({ format: 'date-time' }),
  lastUsedAt: Time('the last use, give or take a minute'),
  expiresAt: Time('when it ends'),
  revokedAt: Time('when it was revoked'),
  replacedBy: Type.Optional(Type.Integer({ description: 'the key that rotation made in its place' }))
}, { title: 'ApiKey', description: 'The key.', examples: [{ ...EXAMPLE, lastUsedAt: '2026-11-21T09:30:00.000Z' }] })

const CreatedKey = Type.Object({
  ...ApiKey.properties,
  key: Type.String({ description: 'the key itself, shown this once' })
}, { title: 'CreatedApiKey', description: 'The new key.', examples: [{ ...EXAMPLE, key: 'service_sk_2bD1mM0Zr0wq5k3sY9o7VhXcTtq8uJ4nE6aLfPiGx3Qk' }] })

const CreateBody = Type.Object({
  name: Name,
  ownerId: Id,
  plan: Type.Optional(Type.Enum(PLANS, { description: 'else the owner\'s' })),
  expiresInSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_KEY_SECONDS, description: 'else it lives until it is revoked' }))
}, { title: 'NewApiKey', additionalProperties: false, examples: [{ name: 'laptop', ownerId: 3, plan: 'pro' }] })

const RotateBody = Type.Object({
  graceSeconds: Type.Integer({ minimum: 0, maximum: MAX_GRACE_SECONDS, description: 'how long the old key goes on working; 0: it ends at once' })
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
    summary: 'All API keys, without the keys themselves',
    caller: 'administrator',
    querystring: ListQuery,
    replies: { 200: PageOf('ApiKeyPage', ApiKey, 'The keys, oldest first.') }
  }), async (request) => readPage(request.query, (page) => keys.list(page, request.query.ownerId).map(toApiKey)))

  app.post('/keys', operation({
    operationId: 'createApiKey',
    tag: 'Administration',
    summary: 'Make an API key',
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
    summary: 'End an API key at once',
    description: 'The key stays in the list, revoked. Again, it answers the same.',
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
    description: 'Makes a key of the same owner, name and plan, and the same lifetime where it has one. The old one works until the grace is over.',
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
