/** Programs that the account has given access by OAuth. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import { SCOPES } from '../domain/access.js'
import type { Scope } from '../domain/access.js'
import { AppError } from '../domain/errors.js'
import type { Connection as StoredConnection } from '../domain/oauth.js'
import type { Oauth } from '../service/oauth.js'
import { operation } from './contract/operation.js'
import { ok, Success, toIsoTime } from './contract/schemas.js'
import { pageSessionOf } from './plugins/page-session.js'

const EXAMPLE = {
  id: 'hV2sYQ1mKzT0a3', clientName: 'Notebook', scopes: ['transcripts:read'], createdAt: '2026-11-21T09:00:00.000Z',
  lastUsedAt: '2026-11-21T09:30:00.000Z'
}

const Connection = Type.Object({
  id: Type.String(),
  clientName: Type.String({ description: 'as the program calls itself; nobody has checked it' }),
  scopes: Type.Array(Type.Enum(Object.keys(SCOPES) as Scope[])),
  createdAt: Type.String({ format: 'date-time' }),
  lastUsedAt: Type.Optional(Type.String({ format: 'date-time', description: 'when it last got a token' }))
}, { title: 'Connection', description: 'The connection.', examples: [EXAMPLE] })

const Connections = Type.Array(Connection, { description: 'The connected programs, oldest first.', examples: [[EXAMPLE]] })
const ConnectionParams = Type.Object({ id: Type.String({ minLength: 1, maxLength: 100 }) })
const Removed = Type.Object({ id: Type.String() }, {
  description: 'The program has no access any more.', examples: [{ id: EXAMPLE.id }]
})

function toConnection ({ createdAt, lastUsedAt, ...connection }: StoredConnection): Static<typeof Connection> {
  return {
    ...connection, createdAt: toIsoTime(createdAt), ...(lastUsedAt === undefined ? {} : { lastUsedAt: toIsoTime(lastUsedAt) })
  }
}

type Deps = {
  oauth: Pick<Oauth, 'listConnections' | 'disconnect'>
  /** Whether our own authorization server is on; without it, its grants give no access. */
  isOn: boolean
}

export const connectionRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { oauth, isOn }) => {
  app.get('/connections', operation({
    operationId: 'listConnections',
    tag: 'Accounts',
    summary: 'List the programs that have access',
    description: 'Those that were given access at the authorization server of this appliance. Empty if it is off.',
    caller: 'session',
    replies: { 200: Success(Connections) }
  }), async (request) => ok(isOn ? oauth.listConnections(pageSessionOf(request).ownerId).map(toConnection) : []))

  app.delete('/connections/:id', operation({
    operationId: 'removeConnection',
    tag: 'Accounts',
    summary: 'Take the access of a program away',
    description: 'It gets no new tokens. Tokens that it has work for the few minutes that are left of them.',
    caller: 'session',
    params: ConnectionParams,
    replies: { 200: Success(Removed) },
    errors: ['not_found']
  }), async (request) => {
    if (!isOn) throw new AppError('not_found', 'There is no such connection.')
    oauth.disconnect(request.params.id, pageSessionOf(request).ownerId)
    return ok({ id: request.params.id })
  })
}
