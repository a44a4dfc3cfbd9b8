/** Sign-in on the page, and the account that is signed in. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { PageSession } from '../domain/page-session.js'
import type { Accounts } from '../service/accounts.js'
import { Account, NewPassword, Password, Session, toSession } from './contract/account.js'
import { operation } from './contract/operation.js'
import { Name, ok, Success } from './contract/schemas.js'
import { refuseCrossSite } from './plugins/cross-site.js'
import { actAs, createPageCookie, PAGE_COOKIE, pageSessionOf } from './plugins/page-session.js'

const SignInBody = Type.Object({ name: Name, password: Password }, {
  title: 'SignIn', additionalProperties: false, examples: [{ name: 'anna', password: 'correct horse battery staple' }]
})

const SignedOut = Type.Object({ signedOut: Type.Literal(true) }, {
  description: 'The session has ended.', examples: [{ signedOut: true }]
})

const Options = Type.Object({
  password: Type.Boolean({ description: 'whether accounts sign in with a password' }),
  oauth: Type.Union([Type.Object({ name: Type.String({ description: 'the name of the provider' }) }), Type.Null()], {
    description: 'sign-in at an identity provider; null: not possible'
  }),
  version: Type.String({ description: 'version of the program' }),
  sharing: Type.Boolean({ description: 'whether transcriptions can be shared by links' })
}, { title: 'SignInOptions', description: 'The options.', examples: [{ password: true, oauth: null, version: '0.1.0', sharing: false }] })

const PasswordBody = Type.Object({ current: Password, next: NewPassword }, {
  title: 'PasswordChange', additionalProperties: false,
  examples: [{ current: 'correct horse battery staple', next: 'another horse, another staple' }]
})

type Deps = {
  accounts: Accounts
  publicUrl: string | undefined
  version: string
  isSharingOn: boolean
  /** Where people can sign in too. Undefined: with a password only. */
  providerName: string | undefined
}

export const accountRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { accounts, publicUrl, version, isSharingOn, providerName } = deps
  refuseCrossSite(app, publicUrl, 'changes')
  const cookie = createPageCookie(publicUrl)
  const view = (session: PageSession) => toSession(session, accounts.find(session.ownerId))

  app.get('/session/options', operation({
    operationId: 'getSignInOptions',
    tag: 'Accounts',
    summary: 'Get what a page must know before anybody is signed in',
    caller: 'public',
    replies: { 200: Success(Options) }
  }), async () => ok({
    password: true, oauth: providerName === undefined ? null : { name: providerName }, version, sharing: isSharingOn
  }))

  app.post('/session', operation({
    operationId: 'signIn',
    tag: 'Accounts',
    summary: 'Sign in',
    description: 'Sets the cookie `stenobox_session`. The session ends after 14 days, and after 24 hours without use; the one that the ' +
      'browser had before ends now. After five wrong passwords from one network within 15 minutes, or a hundred in total, further ' +
      'attempts are refused for a while.',
    caller: 'public',
    body: SignInBody,
    replies: { 200: Success(Session) },
    errors: ['unauthorized', 'too_many_attempts']
  }), async (request, reply) => {
    const { clientAddress: address, cookies } = request
    const { secret, session } = await accounts.signIn({ ...request.body, address, replaced: cookies[PAGE_COOKIE] })
    actAs(request, session)
    return cookie.set(reply, secret, session.expiresAt - session.createdAt)
      .header('cache-control', 'no-store').send(ok(view(session)))
  })

  app.get('/session', operation({
    operationId: 'getSession',
    tag: 'Accounts',
    summary: 'Get the session and its account',
    caller: 'session',
    replies: { 200: Success(Session) }
  }), async (request) => ok(view(pageSessionOf(request))))

  app.delete('/session', operation({
    operationId: 'signOut',
    tag: 'Accounts',
    summary: 'Sign out',
    caller: 'session',
    replies: { 200: Success(SignedOut) }
  }), async (request, reply) => {
    accounts.signOut(pageSessionOf(request))
    return cookie.clear(reply).send(ok({ signedOut: true as const }))
  })

  app.get('/account', operation({
    operationId: 'getAccount',
    tag: 'Accounts',
    summary: 'Get the account that is signed in',
    caller: 'session',
    replies: { 200: Success(Account) }
  }), async (request) => ok(accounts.find(pageSessionOf(request).ownerId)))

  app.put('/account/password', operation({
    operationId: 'changePassword',
    tag: 'Accounts',
    summary: 'Change the password',
    description: 'All other sessions of the account end.',
    caller: 'session',
    body: PasswordBody,
    replies: { 200: Success(Account) },
    errors: ['wrong_password', 'too_many_attempts']
  }), async (request) => {
    const session = pageSessionOf(request)
    await accounts.changePassword(session, request.body, request.clientAddress)
    return ok(accounts.find(session.ownerId))
  })
}
