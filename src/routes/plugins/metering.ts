/** Counts every authenticated request, refuses what the plan does not allow, and logs how it ended. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { CountedRequest, Quotas, Usage } from '../../service/usage.js'

declare module 'fastify' {
  interface FastifyRequest {
    counted: CountedRequest | undefined
  }
}

/** What nginx says when a client has gone before the answer. */
const CLIENT_GONE = 499

/** Not counted, and not logged: a flood of refusals must not push out what somebody wants to see. */
const REFUSED = 429

/** draft-ietf-httpapi-ratelimit-headers-11; nothing where the plan has no limit. */
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

/** For operations registered on `app` from here on. Call it after requireCredential: who is not known is not counted. */
export function meterRequests (app: FastifyInstance, usage: Usage): void {
  app.decorateRequest('counted', undefined)
  app.addHook('onRequest', async (request, reply) => {
    const { principal } = request
    if (!principal) return
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
