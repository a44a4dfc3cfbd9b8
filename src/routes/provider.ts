/**
 * Sign-in at the identity provider. The page asks where to go, the provider sends the browser back to an address of the page, and the page
 * hands over what came with it: there are no redirects here, and only our own page can begin or finish.
 */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Static } from 'typebox'
import { AppError } from '../domain/errors.js'
import type { Accounts } from '../service/accounts.js'
import type { ProviderSignIn, Return } from '../service/provider-sign-in.js'
import { VISIT_MS } from '../service/provider-visits.js'
import { Password, Session, toSession } from './contract/account.js'
import { operation } from './contract/operation.js'
import { ok, Success, toIsoTime } from './contract/schemas.js'
import { refuseCrossSite } from './plugins/cross-site.js'
import { actAs, createCookie, createPageCookie, PAGE_COOKIE, pageSessionOf } from './plugins/page-session.js'

const VISIT_COOKIE = 'stenobox_visit'

const Visit = Type.Object({
  url: Type.String({ description: 'where the browser goes now, within ten minutes' })
}, { title: 'ProviderVisit', description: 'The address.', examples: [{ url: 'https://login.example.org/authorize?client_id=stenobox' }] })

const ReturnBody = Type.Object({
  code: Type.String({ minLength: 1, maxLength: 4096, description: 'from the address that the provider sent the browser back to' }),
  state: Type.String({ minLength: 1, maxLength: 100, description: 'from the same address' })
}, {
  title: 'ProviderReturn', additionalProperties: false,
  examples: [{ code: 'kQ3xUo2b', state: 'Zr0wq5k3sY9o7VhXcTtq8uJ4nE6aLfPiGx3QkbD1mM0' }]
})

const ConnectBody = Type.Object({
  password: Type.Optional(Password)
}, { title: 'ProviderConnection', additionalProperties: false, examples: [{ password: 'correct horse battery staple' }] })

const Ways = Type.Object({
  hasPassword: Type.Boolean({ description: 'whether the account has a password' }),
  provider: Type.Union([Type.Object({
    name: Type.String(),
    connectedAt: Type.Optional(Type.String({ format: 'date-time', description: 'absent: the account is not connected' }))
  }), Type.Null()], { description: 'sign-in at an identity provider; null: not possible' })
}, {
  title: 'SignInWays', description: 'The ways.',
  examples: [{ hasPassword: true, provider: { name: 'login.example.org', connectedAt: '2026-11-22T09:00:00.000Z' } }]
})

const BEGIN = 'Sets the cookie `stenobox_visit`, which belongs to this one visit to the provider.'

type Deps = {
  accounts: Pick<Accounts, 'find' | 'signInWays'>
  /** Undefined: people do not sign in at a provider. */
  provider: ProviderSignIn | undefined
  publicUrl: string | undefined
}

export const providerRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { accounts, provider, publicUrl }) => {
  refuseCrossSite(app, publicUrl, 'changes')
  const pageCookie = createPageCookie(publicUrl)
  const visitCookie = createCookie(VISIT_COOKIE, publicUrl, '/api/v1')

  function requireProvider (): ProviderSignIn {
    if (provider) return provider
    throw new AppError('not_found', 'Nobody signs in at an identity provider here. The administrator can set STENOBOX_OAUTH_CLIENT_ID.')
  }

  function send (reply: FastifyReply, { url, secret }: { url: string, secret: string }) {
    return visitCookie.set(reply, secret, VISIT_MS).header('cache-control', 'no-store').send(ok({ url }))
  }

  /** What came back. The cookie is cleared, because a visit can be used only once. */
  function take (request: FastifyRequest, body: Static<typeof ReturnBody>, reply: FastifyReply): Return {
    visitCookie.clear(reply)
    return { ...body, secret: request.cookies[VISIT_COOKIE], address: request.clientAddress }
  }

  function waysOf (ownerId: number): Static<typeof Ways> {
    const { hasPassword, provider: at } = accounts.signInWays(ownerId)
    const connected = at?.connectedAt === undefined ? {} : { connectedAt: toIsoTime(at.connectedAt) }
    return { hasPassword, provider: at ? { name: at.name, ...connected } : null }
  }

  app.post('/session/provider/begin', operation({
    operationId: 'beginProviderSignIn',
    tag: 'Accounts',
    summary: 'Begin to sign in at the identity provider',
    description: BEGIN,
    caller: 'public',
    replies: { 200: Success(Visit) },
    errors: ['not_found']
  }), async (request, reply) => send(reply, await requireProvider().begin(request.clientAddress)))

  app.post('/session/provider', operation({
    operationId: 'finishProviderSignIn',
    tag: 'Accounts',
    summary: 'Sign in with what the identity provider sent',
    description: 'Sets the cookie of a session, like signing in with a password, and with the same limits.',
    caller: 'public',
    body: ReturnBody,
    replies: { 200: Success(Session) },
    errors: ['not_found', 'sign_in_expired', 'sign_in_refused', 'no_account', 'too_many_attempts']
  }), async (request, reply) => {
    const { secret, session } = await requireProvider().signIn(take(request, request.body, reply), request.cookies[PAGE_COOKIE])
    actAs(request, session)
    return pageCookie.set(reply, secret, session.expiresAt - session.createdAt)
      .header('cache-control', 'no-store').send(ok(toSession(session, accounts.find(session.ownerId))))
  })

  app.get('/account/sign-in', operation({
    operationId: 'getSignInWays',
    tag: 'Accounts',
    summary: 'Get how the account can be signed in to',
    caller: 'session',
    replies: { 200: Success(Ways) }
  }), async (request) => ok(waysOf(pageSessionOf(request).ownerId)))

  app.post('/account/provider/begin', operation({
    operationId: 'beginConnectingProvider',
    tag: 'Accounts',
    summary: 'Begin to connect the account with the identity provider',
    description: `${BEGIN} Needs the password of the account; if it has none, a sign-in within the last ten minutes.`,
    caller: 'session',
    body: ConnectBody,
    replies: { 200: Success(Visit) },
    errors: ['not_found', 'wrong_password', 'sign_in_too_old', 'too_many_attempts']
  }), async (request, reply) =>
    send(reply, await requireProvider().beginConnecting(pageSessionOf(request), request.body.password, request.clientAddress)))

  app.put('/account/provider', operation({
    operationId: 'connectProvider',
    tag: 'Accounts',
    summary: 'Connect the account with the person who was at the identity provider',
    description: 'That person can then sign in to this account there. A person who was connected before no longer can.',
    caller: 'session',
    body: ReturnBody,
    replies: { 200: Success(Ways) },
    errors: ['not_found', 'conflict', 'sign_in_expired', 'sign_in_refused', 'too_many_attempts']
  }), async (request, reply) => {
    const session = pageSessionOf(request)
    await requireProvider().connect(session, request.cookies[PAGE_COOKIE] ?? '', take(request, request.body, reply))
    return ok(waysOf(session.ownerId))
  })

  app.delete('/account/provider', operation({
    operationId: 'disconnectProvider',
    tag: 'Accounts',
    summary: 'Disconnect the account from the identity provider',
    description: 'All other sessions of the account end. An account without a password stays connected.',
    caller: 'session',
    replies: { 200: Success(Ways) },
    errors: ['not_found', 'conflict']
  }), async (request) => {
    const session = pageSessionOf(request)
    requireProvider().disconnect(session)
    return ok(waysOf(session.ownerId))
  })
}
