/** Records who called which operation on what, with the status of the reply. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { idsOf } from '../../domain/audit.js'
import type { AuditActor } from '../../domain/audit.js'
import type { Audit } from '../../service/audit.js'
import { CLIENT_GONE } from './metering.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Ids of objects that the request has created. */
    createdIds: Ids | undefined
  }
}

type Ids = Readonly<Record<string, number | string>>

const LOGIN = 'logInAsAdministrator'
/** Public operations that are recorded: the ways to become somebody. */
const LOGINS = new Set([LOGIN, 'signIn', 'finishProviderSignIn', 'setUp'])

function actorOf ({ principal, adminSession, createdIds, routeOptions }: FastifyRequest): AuditActor {
  if (adminSession) return { type: 'administrator', session: adminSession.id }
  if (principal?.sessionId !== undefined) return { type: 'session', sessionId: principal.sessionId, ownerId: principal.ownerId }
  if (principal?.keyId !== undefined) return { type: 'key', keyId: principal.keyId, ownerId: principal.ownerId }
  if (principal) return { type: 'token', ownerId: principal.ownerId }
  const isLogin = routeOptions.config.operation?.operationId === LOGIN && createdIds?.['id'] !== undefined
  return isLogin ? { type: 'administrator', session: String(createdIds['id']) } : { type: 'nobody' }
}

/** The ids in the path and of created objects. If both are called `id`, as with a rotated key, the second is `newId`. */
function targetOf ({ params, createdIds = {} }: FastifyRequest): Ids {
  const named = idsOf(params)
  const isNew = named['id'] !== undefined && createdIds['id'] !== undefined && createdIds['id'] !== named['id']
  return { ...createdIds, ...named, ...(isNew ? { newId: createdIds['id'] as number | string } : {}) }
}

/** Applies to operations registered on `app` after this call. Public ones are left out, except logins. */
export function recordRequests (app: FastifyInstance, audit: Audit): void {
  if (!audit.isOn) return
  app.decorateRequest('createdIds', undefined)
  app.addHook('preSerialization', async (request, _reply, payload: { data?: unknown } | null) => {
    if (request.method !== 'GET') request.createdIds = idsOf(payload?.data)
    return payload
  })
  const recorded = new WeakSet<FastifyRequest>()
  const record = (request: FastifyRequest, status: number): void => {
    const { operationId = '', caller } = request.routeOptions.config.operation ?? {}
    if ((caller === 'public' && !LOGINS.has(operationId)) || recorded.has(request)) return
    recorded.add(request)
    const { id: requestId, clientAddress: address } = request
    const target = targetOf(request)
    const ids = Object.keys(target).length > 0 ? { target } : {}
    audit.record({ actor: actorOf(request), operation: operationId, ...ids, requestId, address, status })
  }
  app.addHook('onResponse', async (request, reply) => { record(request, reply.statusCode) })
  app.addHook('onRequestAbort', async (request) => { record(request, CLIENT_GONE) })
}
