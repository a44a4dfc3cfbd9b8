/** Idempotency-Key: operations declared `idempotent` answer a repeated request as they answered the first. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Idempotency, RequestClaim } from '../../service/idempotency.js'
import { RENEW_MS } from '../../service/idempotency.js'
import { IDEMPOTENCY_KEY, IDEMPOTENCY_REPLAYED } from '../operation.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** The request is carried out under an Idempotency-Key. */
    idempotent: { claim: RequestClaim, key: string, renewing: NodeJS.Timeout } | undefined
  }
}

/** Keys belong to an owner; an administrator's session has none. */
function scopeOf ({ principal }: FastifyRequest): string {
  return principal ? `owner ${principal.ownerId}` : 'administrator'
}

/** Call it before the routes are registered, and after what authenticates. */
export function answerOnce (app: FastifyInstance, idempotency: Idempotency): void {
  app.decorateRequest('idempotent', undefined)

  // After validation: a request that cannot be understood is told so each time, and may be corrected under the same key.
  app.addHook('preHandler', async (request, reply) => {
    const { operation } = request.routeOptions.config
    const key = request.headers[IDEMPOTENCY_KEY.toLowerCase()]
    if (!operation?.idempotent || typeof key !== 'string') return
    const { params, query, body } = request
    const begun = idempotency.begin({ scope: scopeOf(request), operationId: operation.operationId, key, content: { params, query, body } })
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
    // Only now, and not when the handler ended: what a serializer or a later hook turned it into is what the caller reads.
    idempotency.finish(claim, key, { status: reply.statusCode, contentType: String(reply.getHeader('content-type')), body: String(payload) })
    return payload
  })
}
