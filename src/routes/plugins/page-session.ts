/** The session of a person who is signed in on the page: its cookie, and the check against cross-site requests. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PageSession } from '../../domain/page-session.js'
import type { Sessions } from '../../service/sessions.js'
import { isSafeMethod, requireOwnPage } from './cross-site.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The session that the cookie names. Undefined for public operations, and where a key or token was sent. */
    pageSession: PageSession | undefined
  }
}

export const PAGE_COOKIE = 'stenobox_session'

type Deps = { sessions: Pick<Sessions, 'find' | 'isOpen'>, publicUrl: string | undefined }

/** True when the cookie is the credential: a key or a token is stronger, except where neither is accepted. */
function isCredential ({ headers, routeOptions }: FastifyRequest): boolean {
  const caller = routeOptions.config.operation?.caller
  return caller === 'administrator' || (caller !== undefined && caller !== 'public' && headers.authorization === undefined)
}

/**
 * Finds the sessions of requests for operations registered on `app` after this call. Requests with the cookie are refused if they come from
 * pages of other sites, unless they are for public operations and change nothing. Register the cookie plugin before.
 */
export function readPageSession (app: FastifyInstance, { sessions, publicUrl }: Deps): void {
  app.decorateRequest('pageSession', undefined)
  app.addHook('onRequest', async (request) => {
    const secret = request.cookies[PAGE_COOKIE]
    if (secret === undefined) return
    const isPublic = request.routeOptions.config.operation?.caller === 'public'
    if (!isPublic || !isSafeMethod(request.method)) requireOwnPage(request, publicUrl)
    if (!isCredential(request)) return
    request.pageSession = sessions.find(secret)
    request.isStillValid = async () => sessions.isOpen(secret)
  })
  // A body may come slowly, and its sender may have lost the role meanwhile.
  app.addHook('preHandler', async (request) => {
    if (!request.pageSession || request.routeOptions.config.operation?.caller !== 'administrator') return
    request.pageSession = sessions.find(request.cookies[PAGE_COOKIE] ?? '')
  })
}

/** The session of an operation for people who are signed in. */
export function pageSessionOf (request: FastifyRequest): PageSession {
  if (!request.pageSession) throw new Error('operation registered outside readPageSession, or not for sessions')
  return request.pageSession
}

/** Makes a session that the request has begun its caller, for the audit log. */
export function actAs (request: FastifyRequest, { id, ownerId, plan }: PageSession): void {
  request.principal = { ownerId, plan, sessionId: id }
}

/** Sets and clears a cookie of the appliance, for paths that begin with `folder` below the configured address. */
export function createCookie (name: string, publicUrl: string | undefined, folder: string) {
  const url = publicUrl === undefined ? undefined : new URL(publicUrl)
  const path = `${url?.pathname.replace(/\/$/, '') ?? ''}${folder}` || '/'
  const isSecure = ({ request }: FastifyReply): boolean => (url?.protocol ?? `${request.protocol}:`) === 'https:'
  const attributesOf = (reply: FastifyReply) => ({ path, httpOnly: true, sameSite: 'strict', secure: isSecure(reply) } as const)
  return {
    set: (reply: FastifyReply, secret: string, maxAgeMs: number): FastifyReply =>
      reply.setCookie(name, secret, { ...attributesOf(reply), maxAge: maxAgeMs / 1000 }),
    clear: (reply: FastifyReply): FastifyReply => reply.clearCookie(name, attributesOf(reply))
  }
}

/** The cookie of sessions, for the whole appliance. */
export function createPageCookie (publicUrl: string | undefined): ReturnType<typeof createCookie> {
  return createCookie(PAGE_COOKIE, publicUrl, '')
}
