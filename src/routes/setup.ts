/** First start: the first account. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { isLocalRequest } from '../domain/local-request.js'
import type { Accounts } from '../service/accounts.js'
import type { Setup } from '../service/setup.js'
import { Account, ACCOUNT_EXAMPLE, NewPassword } from './contract/account.js'
import { operation } from './contract/operation.js'
import { Name, ok, Success } from './contract/schemas.js'
import { refuseCrossSite } from './plugins/cross-site.js'
import { actAs, createPageCookie } from './plugins/page-session.js'

const SetupState = Type.Object({
  needed: Type.Boolean({ description: 'true until there is an account' }),
  tokenRequired: Type.Boolean({ description: 'true unless the browser is on the machine of the appliance' })
}, { title: 'SetupState', description: 'The state.', examples: [{ needed: true, tokenRequired: false }] })

const SetupBody = Type.Object({
  name: Name,
  password: NewPassword,
  token: Type.Optional(Type.String({ maxLength: 100, description: 'the token that the server prints when it starts' }))
}, { title: 'FirstAccount', additionalProperties: false, examples: [{ name: 'anna', password: 'correct horse battery staple' }] })

const Created = Type.Object({ account: Account }, {
  description: 'The account, which is signed in.', examples: [{ account: ACCOUNT_EXAMPLE }]
})

type Deps = {
  accounts: Pick<Accounts, 'find'>
  setup: Pick<Setup, 'isNeeded' | 'setUp'>
  /** Whether only this machine can reach the server. */
  isLocalServer: boolean
  publicUrl: string | undefined
}

export const setupRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { accounts, setup, isLocalServer, publicUrl }) => {
  refuseCrossSite(app, publicUrl, 'changes')
  const cookie = createPageCookie(publicUrl)
  const isLocal = ({ host, headers, socket }: FastifyRequest): boolean =>
    isLocalServer && isLocalRequest({ host, headers, peer: socket.remoteAddress ?? '' })

  app.get('/setup', operation({
    operationId: 'getSetup',
    tag: 'Accounts',
    summary: 'Check whether the appliance has an account',
    caller: 'public',
    replies: { 200: Success(SetupState) }
  }), async (request, reply) => {
    reply.header('cache-control', 'no-store')
    return ok({ needed: setup.isNeeded(), tokenRequired: !isLocal(request) })
  })

  app.post('/setup', operation({
    operationId: 'setUp',
    tag: 'Accounts',
    summary: 'Create the first account, which is an administrator',
    description: 'Works once. Sets the cookie of a session. An owner with this name becomes the account; else the owner "default" does, ' +
      'under the new name, if it is the only one.',
    caller: 'public',
    body: SetupBody,
    replies: { 201: Success(Created) },
    errors: ['conflict', 'unauthorized', 'too_many_attempts']
  }), async (request, reply) => {
    const { name, password, token } = request.body
    const { secret, session } = await setup.setUp({
      name, password, token, isLocal: isLocal(request), address: request.clientAddress
    })
    actAs(request, session)
    return cookie.set(reply, secret, session.expiresAt - session.createdAt)
      .header('cache-control', 'no-store').code(201).send(ok({ account: accounts.find(session.ownerId) }))
  })
}
