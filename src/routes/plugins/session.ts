/** Administrator sessions: who may administer, and the log of changes. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../domain/errors.js'
import { SESSION_CHALLENGE } from '../../service/administration.js'
import type { Administration, AdminSession } from '../../service/administration.js'
import { createCookie } from './page-session.js'

declare module 'fastify' {
  interface FastifyRequest {
    adminSession: AdminSession | undefined
  }
}

export const SESSION_COOKIE = 'stenobox_admin'

type Sessions = Pick<Administration, 'requireOn' | 'find'>

const notLoggedIn = (): AppError =>
  new AppError('unauthorized', 'Log in first: POST /api/v1/admin/session.', { headers: SESSION_CHALLENGE })

/**
 * Administrator operations registered on `app` after this call need a session: one of the configured password, or one of the page whose
 * account is an administrator. Call it after readPageSession.
 */
export function requireSession (app: FastifyInstance, administration: Sessions): void {
  app.decorateRequest('adminSession', undefined)
  async function requireAdministrator (request: FastifyRequest): Promise<void> {
    if (request.routeOptions.config.operation?.caller !== 'administrator') return
    request.adminSession = administration.find(request.cookies[SESSION_COOKIE] ?? '')
    if (request.adminSession || request.pageSession?.role === 'administrator') return
    if (request.pageSession) throw new AppError('administrator_required', 'Only administrators may do this. Ask one of them.')
    administration.requireOn()
    throw notLoggedIn()
  }
  // Again when the body is there, since a session may end and an account may lose its role before.
  app.addHook('onRequest', requireAdministrator)
  app.addHook('preHandler', requireAdministrator)
}

/** The administrator session of an administrator operation. Throws `unauthorized` when the caller is an account of the page instead. */
export function sessionOf (request: FastifyRequest): AdminSession {
  if (!request.adminSession) throw notLoggedIn()
  return request.adminSession
}

/** The session cookie, limited to the administration paths. */
export function createSessionCookie (publicUrl: string | undefined): ReturnType<typeof createCookie> {
  return createCookie(SESSION_COOKIE, publicUrl, '/api/v1/admin')
}

type Ids = Readonly<Record<string, number | string>>

/** Logs an administrative change: which session did what to which ids. `begun`: the session that the request has begun. */
export function audit (request: FastifyRequest, ids: Ids, begun?: AdminSession): void {
  const { operationId } = request.routeOptions.config.operation ?? {}
  const { adminSession = begun, pageSession } = request
  const who = adminSession ? { session: adminSession.id } : { pageSession: pageSession?.id, account: pageSession?.ownerId }
  request.log.info({ ...who, operation: operationId, ...ids }, 'administrative change')
}
