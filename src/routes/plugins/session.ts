/** Administrator sessions: the cookie, the check against cross-site requests, and the audit log. */
import fastifyCookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../domain/errors.js'
import { SESSION_CHALLENGE } from '../../service/administration.js'
import type { Administration, AdminSession } from '../../service/administration.js'

declare module 'fastify' {
  interface FastifyRequest {
    adminSession: AdminSession | undefined
  }
}

export const SESSION_COOKIE = 'stenobox_admin'

type Sessions = Pick<Administration, 'requireOn' | 'find'>

/** Administrator operations registered on `app` after this call need a session. */
export async function requireSession (app: FastifyInstance, administration: Sessions): Promise<void> {
  await app.register(fastifyCookie)
  app.decorateRequest('adminSession', undefined)
  app.addHook('onRequest', async (request) => {
    if (request.routeOptions.config.operation?.caller !== 'administrator') return
    administration.requireOn()
    const session = administration.find(request.cookies[SESSION_COOKIE] ?? '')
    if (!session) throw new AppError('unauthorized', 'Log in first: POST /api/v1/admin/session.', { headers: SESSION_CHALLENGE })
    request.adminSession = session
  })
}

/** The session of an administrator operation. */
export function sessionOf (request: FastifyRequest): AdminSession {
  if (!request.adminSession) throw new Error('operation registered outside requireSession, or public')
  return request.adminSession
}

function isOwnOrigin (origin: string, host: string, publicUrl: string | undefined): boolean {
  if (!URL.canParse(origin)) return false
  const url = new URL(origin)
  return url.host === host.toLowerCase() || (publicUrl !== undefined && url.origin === new URL(publicUrl).origin)
}

/**
 * Refuses requests from pages of other sites, with or without a cookie. Browsers send Sec-Fetch-Site over https, and over plain http
 * only to this machine; without it, Origin must be ours. Another port of this host is another origin, but SameSite cookies are sent there.
 */
export function refuseCrossSite (app: FastifyInstance, publicUrl: string | undefined): void {
  app.addHook('onRequest', async ({ headers, host }) => {
    const site = headers['sec-fetch-site']
    const isOurs = site === undefined
      ? headers.origin === undefined || isOwnOrigin(headers.origin, host, publicUrl)
      : site === 'same-origin' || site === 'none'
    if (!isOurs) throw new AppError('cross_site_request', 'Pages of other sites may not administer this appliance.')
  })
}

/** The session cookie, limited to the administration paths. */
export function createSessionCookie (publicUrl: string | undefined) {
  const url = publicUrl === undefined ? undefined : new URL(publicUrl)
  const path = `${url?.pathname.replace(/\/$/, '') ?? ''}/api/v1/admin`
  const isSecure = ({ request }: FastifyReply): boolean => (url?.protocol ?? `${request.protocol}:`) === 'https:'
  const attributesOf = (reply: FastifyReply) => ({ path, httpOnly: true, sameSite: 'strict', secure: isSecure(reply) } as const)
  return {
    set: (reply: FastifyReply, secret: string, maxAgeMs: number): FastifyReply =>
      reply.setCookie(SESSION_COOKIE, secret, { ...attributesOf(reply), maxAge: maxAgeMs / 1000 }),
    clear: (reply: FastifyReply): FastifyReply => reply.clearCookie(SESSION_COOKIE, attributesOf(reply))
  }
}

type Ids = Readonly<Record<string, number | string>>

/** Logs an administrative change: which session did what to which ids. */
export function audit (request: FastifyRequest, ids: Ids, session: AdminSession = sessionOf(request)): void {
  const { operationId } = request.routeOptions.config.operation ?? {}
  request.log.info({ session: session.id, operation: operationId, ...ids }, 'administrative change')
}
