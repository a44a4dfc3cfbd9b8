/** API keys of the account that is signed in. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import { MAX_KEY_SECONDS } from '../domain/access.js'
import type { Keys, KeyView } from '../service/keys.js'
import type { Usage } from '../service/usage.js'
import {
  graceSeconds, KEY_EXAMPLE, KEY_FIELDS, NEW_KEY_EXAMPLE, SECRET_EXAMPLE, SECRET_FIELD, toKeyFields
} from './contract/api-key.js'
import { operation } from './contract/operation.js'
import { PAGE_QUERY, PageOf, readPage } from './contract/paging.js'
import { IdParams, Name, ok, Success } from './contract/schemas.js'
import { pageSessionOf } from './plugins/page-session.js'

const DAY_SECONDS = 24 * 3600

const Key = Type.Object({
  ...KEY_FIELDS, requestsToday: Type.Integer({ minimum: 0, description: 'requests since midnight UTC' })
}, { title: 'OwnApiKey', description: 'The key.', examples: [{ ...KEY_EXAMPLE, requestsToday: 12 }] })

const CreatedKey = Type.Object({ ...Key.properties, ...SECRET_FIELD }, {
  title: 'CreatedOwnApiKey', description: 'The new key.', examples: [{ ...NEW_KEY_EXAMPLE, requestsToday: 0, ...SECRET_EXAMPLE }]
})

const CreateBody = Type.Object({
  name: Name,
  expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_KEY_SECONDS / DAY_SECONDS, description: 'default: no expiry' }))
}, { title: 'NewOwnApiKey', additionalProperties: false, examples: [{ name: 'laptop', expiresInDays: 90 }] })

const RotateBody = Type.Object({ graceSeconds: Type.Optional(graceSeconds({ default: 0 })) }, {
  title: 'OwnApiKeyRotation', additionalProperties: false, examples: [{ graceSeconds: 86_400 }]
})

type Deps = { keys: Keys, usage: Pick<Usage, 'requestsToday'> }

export const keyRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { keys, usage }) => {
  const toKey = (key: KeyView): Static<typeof Key> =>
    ({ ...toKeyFields(key), requestsToday: usage.requestsToday(key.ownerId, key.id) })

  app.get('/keys', operation({
    operationId: 'listOwnApiKeys',
    tag: 'Accounts',
    summary: 'List the API keys of the account',
    caller: 'session',
    querystring: Type.Object(PAGE_QUERY),
    replies: { 200: PageOf('OwnApiKeyPage', Key, 'The keys, oldest first.') }
  }), async (request) => {
    const { ownerId } = pageSessionOf(request)
    return readPage(request.query, (page) => keys.list(page, ownerId).map(toKey))
  })

  app.post('/keys', operation({
    operationId: 'createOwnApiKey',
    tag: 'Accounts',
    summary: 'Create an API key',
    description: 'The key gets the plan of the account.',
    caller: 'session',
    idempotent: true,
    body: CreateBody,
    replies: { 201: Success(CreatedKey) }
  }), async (request, reply) => {
    const { name, expiresInDays: days } = request.body
    const expiresInSeconds = days === undefined ? undefined : days * DAY_SECONDS
    const { id, key } = keys.createFor(pageSessionOf(request).ownerId, { name, expiresInSeconds })
    return reply.code(201).send(ok({ ...toKey(keys.find(id)), key }))
  })

  app.post('/keys/:id/rotate', operation({
    operationId: 'rotateOwnApiKey',
    tag: 'Accounts',
    summary: 'Replace an API key',
    description: 'Creates a key with the same name, plan and lifetime.',
    caller: 'session',
    idempotent: true,
    params: IdParams,
    body: RotateBody,
    replies: { 201: Success(CreatedKey) },
    errors: ['not_found', 'conflict']
  }), async (request, reply) => {
    const { id, key } = keys.rotate(request.params.id, request.body.graceSeconds ?? 0, pageSessionOf(request).ownerId)
    return reply.code(201).send(ok({ ...toKey(keys.find(id)), key }))
  })

  app.delete('/keys/:id', operation({
    operationId: 'revokeOwnApiKey',
    tag: 'Accounts',
    summary: 'Revoke an API key',
    description: 'The key stops working immediately and stays in the list as revoked. Revoking it again changes nothing.',
    caller: 'session',
    params: IdParams,
    replies: { 200: Success(Key) },
    errors: ['not_found']
  }), async (request) => ok(toKey(keys.revokeOwned(request.params.id, pageSessionOf(request).ownerId))))
}
