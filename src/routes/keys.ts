/** API keys of the account that is signed in. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import { KEY_STATES, MAX_GRACE_SECONDS, MAX_KEY_SECONDS } from '../domain/access.js'
import type { Keys, KeyView } from '../service/keys.js'
import type { Usage } from '../service/usage.js'
import { operation } from './contract/operation.js'
import { PAGE_QUERY, PageOf, readPage } from './contract/paging.js'
import { IdParams, Name, ok, Success, toIsoTime } from './contract/schemas.js'
import { pageSessionOf } from './plugins/page-session.js'

const DAY_SECONDS = 24 * 3600

const Time = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))

const EXAMPLE = {
  id: 7, name: 'laptop', lastFour: 'x3Qk', state: 'live', requestsToday: 12, createdAt: '2026-11-21T09:00:00.000Z'
}

const Key = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  lastFour: Type.String({ description: 'last four characters of the key' }),
  state: Type.Enum(KEY_STATES, { description: 'only live keys are accepted' }),
  requestsToday: Type.Integer({ minimum: 0, description: 'requests since midnight UTC' }),
  createdAt: Type.String({ format: 'date-time' }),
  lastUsedAt: Time('last use, to the minute'),
  expiresAt: Time('expiry time'),
  revokedAt: Time('time of revocation')
}, { title: 'OwnApiKey', description: 'The key.', examples: [{ ...EXAMPLE, lastUsedAt: '2026-11-21T09:30:00.000Z' }] })

const CreatedKey = Type.Object({
  ...Key.properties,
  key: Type.String({ description: 'the key itself, shown only once' })
}, {
  title: 'CreatedOwnApiKey',
  description: 'The new key.',
  examples: [{ ...EXAMPLE, requestsToday: 0, key: 'service_sk_2bD1mM0Zr0wq5k3sY9o7VhXcTtq8uJ4nE6aLfPiGx3Qk' }]
})

const CreateBody = Type.Object({
  name: Name,
  expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_KEY_SECONDS / DAY_SECONDS, description: 'default: no expiry' }))
}, { title: 'NewOwnApiKey', additionalProperties: false, examples: [{ name: 'laptop', expiresInDays: 90 }] })

const RotateBody = Type.Object({
  graceSeconds: Type.Optional(Type.Integer({
    minimum: 0, maximum: MAX_GRACE_SECONDS, default: 0,
    description: 'seconds for which the old key still works; 0: it stops working immediately'
  }))
}, { title: 'OwnApiKeyRotation', additionalProperties: false, examples: [{ graceSeconds: 86_400 }] })

type Deps = { keys: Keys, usage: Pick<Usage, 'requestsToday'> }

export const keyRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { keys, usage }) => {
  function toKey ({ id, name, ownerId, lastFour, state, createdAt, lastUsedAt, expiresAt, revokedAt }: KeyView): Static<typeof Key> {
    return {
      id, name, lastFour, state,
      requestsToday: usage.requestsToday(ownerId, id),
      createdAt: toIsoTime(createdAt),
      ...(lastUsedAt === undefined ? {} : { lastUsedAt: toIsoTime(lastUsedAt) }),
      ...(expiresAt === undefined ? {} : { expiresAt: toIsoTime(expiresAt) }),
      ...(revokedAt === undefined ? {} : { revokedAt: toIsoTime(revokedAt) })
    }
  }

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
