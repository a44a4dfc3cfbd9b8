/** Idempotency-Key: operations declared `idempotent` answer a repeated request like the first one. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RequestClaim } from '../../domain/idempotency.js'
import type { Idempotency } from '../../service/idempotency.js'
import { RENEW_MS } from '../../service/idempotency.js'
import { IDEMPOTENCY_KEY, IDEMPOTENCY_REPLAYED } from '../contract/operation.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set while the request runs with an Idempotency-Key. */
    idempotent: { claim: RequestClaim, key: string, renewing: NodeJS.Timeout } | undefined
  }
}

/** Idempotency keys belong to an owner, or to the administrator. */
function scopeOf ({ principal, adminSession }: FastifyRequest): string {
  return principal && !adminSession ? `owner ${principal.ownerId}` : 'administrator'
}

/** Call it after authentication is installed and before routes are registered. */
export function answerOnce (app: FastifyInstance, idempotency: Idempotency): void {
  app.decorateRequest('idempotent', undefined)

  // After validation: an invalid request is refused every time, and can be corrected with the same key.
  app.addHook('preHandler', async (request, reply) => {
    const { operation } = request.routeOptions.config
    const key = request.headers[IDEMPOTENCY_KEY.toLowerCase()]
    if (!operation?.idempotent || typeof key !== 'string') return
    const { params, query, body } = request
    const content = { params, query, body }
    const begun = idempotency.begin({ scope: scopeOf(request), operationId: operation.operationId, key, content })
    if ('answer' in begun) {
      const { status, contentType, body } = begun.answer
      return await reply.code(status).header(IDEMPOTENCY_REPLAYED, 'true').type(contentType).send(body)
    }
    const renewing = setInterval(() => { idempotency.renew(begun.claim) }, RENEW_MS).unref()
    request.idempotent = { claim: begun.claim, key, renewing }
  })

  app.addHook('onSend', async (request, reply, payload) => {
    if (!request.idempotent) return payload
    const { claim, key, renewing } = request.idempotent
    request.idempotent = undefined
    clearInterval(renewing)
    // Not when the handler ends: the caller reads what serialisation and later hooks produce.
    const contentType = String(reply.getHeader('content-type'))
    idempotency.finish(claim, key, { status: reply.statusCode, contentType, body: String(payload) })
    return payload
  })
}
