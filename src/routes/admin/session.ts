/** Login and logout of the administrator. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { Static } from 'typebox'
import { PASSWORD_LENGTH } from '../../domain/access.js'
import type { Administration, AdminSession } from '../../service/administration.js'
import { operation } from '../contract/operation.js'
import { audit, createSessionCookie, SESSION_COOKIE, sessionOf } from '../plugins/session.js'
import { ok, Success, toIsoTime } from '../contract/schemas.js'

const LoginBody = Type.Object({ password: Type.String({ minLength: 1, maxLength: PASSWORD_LENGTH.max }) }, {
  title: 'AdminLogin', additionalProperties: false, examples: [{ password: 'correct horse battery staple' }]
})

const Session = Type.Object({
  id: Type.String({ description: 'id of the session in the log' }),
  createdAt: Type.String({ format: 'date-time' }),
  expiresAt: Type.String({ format: 'date-time', description: 'end of the session' }),
  idleExpiresAt: Type.String({ format: 'date-time', description: 'end of the session if it is not used before' })
}, {
  title: 'AdminSession',
  description: 'The session.',
  examples: [{
    id: '9f1c02ab', createdAt: '2026-11-21T09:00:00.000Z', expiresAt: '2026-11-21T21:00:00.000Z',
    idleExpiresAt: '2026-11-21T10:00:00.000Z'
  }]
})
const Ended = Type.Object({ id: Type.String() }, { description: 'The session has ended.', examples: [{ id: '9f1c02ab' }] })

function toSession ({ id, createdAt, expiresAt, idleExpiresAt }: AdminSession): Static<typeof Session> {
  return { id, createdAt: toIsoTime(createdAt), expiresAt: toIsoTime(expiresAt), idleExpiresAt: toIsoTime(idleExpiresAt) }
}

type Deps = { administration: Administration, publicUrl: string | undefined }

export const sessionRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { administration, publicUrl }) => {
  const cookie = createSessionCookie(publicUrl)

  app.post('/session', operation({
    operationId: 'logInAsAdministrator',
    tag: 'Administration',
    summary: 'Log in as the administrator',
    description: 'Sets a cookie for the administration paths. The session ends after 12 hours, after an hour without use, and when the ' +
      'appliance restarts. After five wrong passwords from one network within 15 minutes, or a hundred in total, ' +
      'further logins are refused for a while.',
    caller: 'public',
    body: LoginBody,
    replies: { 200: Success(Session) },
    errors: ['unauthorized', 'administration_off', 'cross_site_request', 'too_many_attempts']
  }), async (request, reply) => {
    const { secret, session } = await administration.logIn(request.body.password, request.clientAddress)
    audit(request, {}, session)
    return cookie.set(reply, secret, session.expiresAt - session.createdAt).send(ok(toSession(session)))
  })

  app.get('/session', operation({
    operationId: 'getAdminSession',
    tag: 'Administration',
    summary: 'Get the administrator session',
    caller: 'administrator',
    replies: { 200: Success(Session) }
  }), async (request) => ok(toSession(sessionOf(request))))

  app.delete('/session', operation({
    operationId: 'logOutAsAdministrator',
    tag: 'Administration',
    summary: 'Log out',
    caller: 'administrator',
    replies: { 200: Success(Ended) }
  }), async (request, reply) => {
    administration.end(request.cookies[SESSION_COOKIE] ?? '')
    audit(request, {})
    return cookie.clear(reply).send(ok({ id: sessionOf(request).id }))
  })
}
