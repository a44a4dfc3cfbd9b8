/** API keys of all owners. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import { MAX_KEY_SECONDS, PLANS } from '../../domain/access.js'
import type { Keys, KeyView } from '../../service/keys.js'
import {
  graceSeconds, KEY_EXAMPLE, KEY_FIELDS, NEW_KEY_EXAMPLE, SECRET_EXAMPLE, SECRET_FIELD, toKeyFields
} from '../contract/api-key.js'
import { operation } from '../contract/operation.js'
import { PAGE_QUERY, PageOf, readPage } from '../contract/paging.js'
import { audit } from '../plugins/session.js'
import { Id, IdParams, Name, ok, Success } from '../contract/schemas.js'

const OF_OWNER = { ownerId: 3, owner: 'anna', plan: 'pro' }

const ApiKey = Type.Object({
  ...KEY_FIELDS,
  ownerId: Type.Integer(),
  owner: Type.String({ description: 'the name of the owner' }),
  plan: Type.Enum(PLANS),
  replacedBy: Type.Optional(Type.Integer({ description: 'id of the key that replaced it' }))
}, { title: 'ApiKey', description: 'The key.', examples: [{ ...KEY_EXAMPLE, ...OF_OWNER }] })

const CreatedKey = Type.Object({ ...ApiKey.properties, ...SECRET_FIELD }, {
  title: 'CreatedApiKey', description: 'The new key.', examples: [{ ...NEW_KEY_EXAMPLE, ...OF_OWNER, ...SECRET_EXAMPLE }]
})

const CreateBody = Type.Object({
  name: Name,
  ownerId: Id,
  plan: Type.Optional(Type.Enum(PLANS, { description: 'default: the plan of the owner' })),
  expiresInSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_KEY_SECONDS, description: 'default: no expiry' }))
}, { title: 'NewApiKey', additionalProperties: false, examples: [{ name: 'laptop', ownerId: 3, plan: 'pro' }] })

const RotateBody = Type.Object({ graceSeconds: graceSeconds() }, {
  title: 'ApiKeyRotation', additionalProperties: false, examples: [{ graceSeconds: 86_400 }]
})

const ListQuery = Type.Object({ ...PAGE_QUERY, ownerId: Type.Optional(Id) })

function toApiKey (key: KeyView): Static<typeof ApiKey> {
  const { ownerId, owner, plan, replacedBy } = key
  return { ...toKeyFields(key), ownerId, owner, plan, ...(replacedBy === undefined ? {} : { replacedBy }) }
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
