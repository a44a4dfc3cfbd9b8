/** Sessions of the administrator: their cookie, who may use it from where, and the lines they leave in the log. */
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

/** Every operation of the administrator that is registered on `app` from here on needs a session. */
export async function requireSession (app: FastifyInstance, administration: Pick<Administration, 'requireOn' | 'find'>): Promise<void> {
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

/** The session of an operation of the administrator. */
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
 * Refuses what the page of another site sends, cookie or not. Browsers say so in Sec-Fetch-Site, but over plain http only to this machine
 * itself; elsewhere Origin has to be ours. Another port of this host is another origin, to which SameSite cookies do go.
 */
export function refuseCrossSite (app: FastifyInstance, publicUrl: string | undefined): void {
  app.addHook('onRequest', async ({ headers, host }) => {
    const site = headers['sec-fetch-site']
    const isOurs = site === undefined
      ? headers.origin === undefined || isOwnOrigin(headers.origin, host, publicUrl)
      : site === 'same-origin' || site === 'none'
    if (!isOurs) throw new AppError('cross_site_request', 'The page of another site may not administrate this appliance.')
  })
}

/** Hands the secret of a session to the browser, for the paths of administration alone. */
export function createSessionCookie (publicUrl: string | undefined) {
  const url = publicUrl === undefined ? undefined : new URL(publicUrl)
  const path = `${url?.pathname.replace(/\/$/, '') ?? ''}/api/v1/admin`
  const attributes = { path, httpOnly: true, sameSite: 'strict', secure: url?.protocol === 'https:' } as const
  return {
    set: (reply: FastifyReply, secret: string, maxAgeMs: number): FastifyReply => reply.setCookie(SESSION_COOKIE, secret, { ...attributes, maxAge: maxAgeMs / 1000 }),
    clear: (reply: FastifyReply): FastifyReply => reply.clearCookie(SESSION_COOKIE, attributes)
  }
}

/** The line an administrative change leaves in the log: which session did what to which ids. */
export function audit (request: FastifyRequest, ids: Readonly<Record<string, number | string>>, session: AdminSession = sessionOf(request)): void {
  const { operationId } = request.routeOptions.config.operation ?? {}
  request.log.info({ session: session.id, operation: operationId, ...ids }, 'administrative change')
}
