/** Counts every request with a key or token, refuses requests beyond the plan, and logs the status of each. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { CountedRequest, Quotas, Usage } from '../../service/usage.js'

declare module 'fastify' {
  interface FastifyRequest {
    counted: CountedRequest | undefined
  }
}

/** nginx's status for a client that closed the connection before the reply. */
export const CLIENT_GONE = 499

/** Neither counted nor logged: many refusals must not push other requests out of the log. */
const REFUSED = 429

/** Headers of draft-ietf-httpapi-ratelimit-headers-11; none if the plan has no limit. */
function rateLimitHeaders (quotas: Quotas): Record<string, string> {
  const limits = Object.entries(quotas)
  if (limits.length === 0) return {}
  const unit = (name: string): string => name === 'minutes' ? ';qu="minutes"' : ''
  return {
    'ratelimit-policy': limits.map(([name, { limit, windowSeconds }]) => `"${name}";q=${limit};w=${windowSeconds}${unit(name)}`).join(', '),
    ratelimit: limits.map(([name, { remaining, resetSeconds }]) => `"${name}";r=${remaining};t=${resetSeconds}`).join(', ')
  }
}

/** /jobs/:id → /jobs/{id} */
const toTemplate = (url: string): string => url.replace(/:(\w+)/g, '{$1}')

function end (usage: Usage, request: FastifyRequest, status: number): void {
  const { counted, id, method, routeOptions } = request
  if (!counted) return
  request.counted = undefined
  if (status === REFUSED) return usage.takeBack(counted)
  usage.log(counted, { id, method, path: toTemplate(routeOptions.url ?? ''), status })
}

/** Applies to operations registered on `app` after this call. Call it after requireCredential, because only known callers are counted. */
export function meterRequests (app: FastifyInstance, usage: Usage): void {
  app.decorateRequest('counted', undefined)
  app.addHook('onRequest', async (request, reply) => {
    const { principal } = request
    // What the page asks while somebody looks at it is no use of the interface.
    if (!principal || principal.sessionId !== undefined) return
    try {
      if (!request.routeOptions.config.operation?.isAlwaysAnswered) usage.requireRequests(principal)
      request.counted = usage.count(principal)
    } finally {
      reply.headers(rateLimitHeaders(usage.quotasOf(principal)))
    }
  })
  app.addHook('onResponse', async (request, reply) => { end(usage, request, reply.statusCode) })
  app.addHook('onRequestAbort', async (request) => { end(usage, request, CLIENT_GONE) })
}
