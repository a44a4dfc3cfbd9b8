/** Bearer keys → principal. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../domain/errors.js'
import type { Principal } from '../../domain/access.js'
import type { Access } from '../../service/access.js'

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined
  }
}

const CHALLENGE = 'Bearer realm="stenobox"'

/** RFC 6750 section 3.1: no error code when the request carried no credentials. One sentence for unknown and revoked keys. */
function challenge (credential: string | undefined): AppError {
  return credential === undefined
    ? new AppError('unauthorized', 'An API key is needed: Authorization: Bearer service_sk_…', { headers: { 'www-authenticate': CHALLENGE } })
    : new AppError('unauthorized', 'The API key is not valid.', { headers: { 'www-authenticate': `${CHALLENGE}, error="invalid_token"` } })
}

/** Every route registered on `app` from here on needs a key. */
export function requireKey (app: FastifyInstance, access: Pick<Access, 'authenticate'>): void {
  app.decorateRequest('principal', undefined)
  app.addHook('onRequest', async (request) => {
    const header = request.headers.authorization
    const key = /^Bearer +([\x21-\x7e]+) *$/i.exec(header ?? '')?.[1]
    const principal = key === undefined ? undefined : access.authenticate(key)
    if (!principal) throw challenge(header)
    request.principal = principal
  })
}

/** The caller of an authenticated route. */
export function principalOf (request: FastifyRequest): Principal {
  if (!request.principal) throw new Error('route registered outside requireKey')
  return request.principal
}
