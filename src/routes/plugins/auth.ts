/** Credentials → principal; whether it may call the operation. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../domain/errors.js'
import type { Principal } from '../../domain/access.js'
import type { Access } from '../../service/access.js'
import type { Caller } from '../operation.js'

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined
  }
}

const CHALLENGE = 'Bearer realm="stenobox"'

/** RFC 6750 section 3.1: no error code when the request carried no credentials. One sentence for unknown, revoked and expired ones. */
function challenge (credential: string | undefined): AppError {
  return credential === undefined
    ? new AppError('unauthorized', 'An API key is needed: Authorization: Bearer service_sk_…', { headers: { 'www-authenticate': CHALLENGE } })
    : new AppError('unauthorized', 'The credential is not valid.', { headers: { 'www-authenticate': `${CHALLENGE}, error="invalid_token"` } })
}

/** Throws `api_key_required` and `insufficient_scope`. API keys may do everything of their owner's. */
function requireRight ({ scopes }: Principal, caller: Caller): void {
  if (!scopes) return
  if (caller === 'api_key') throw new AppError('api_key_required', 'This operation takes an API key; a token will not do.')
  if ((scopes as ReadonlySet<string>).has(caller)) return
  throw new AppError('insufficient_scope', `The token was not granted ${caller}.`, {
    headers: { 'www-authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${caller}"` }
  })
}

/** Every operation registered on `app` from here on needs a credential, unless it is public or the administrator's. */
export function requireCredential (app: FastifyInstance, access: Pick<Access, 'authenticate'>): void {
  app.decorateRequest('principal', undefined)
  app.addHook('onRequest', async (request) => {
    const caller = request.routeOptions.config.operation?.caller
    if (caller === undefined || caller === 'public' || caller === 'administrator') return
    const header = request.headers.authorization
    const credential = /^Bearer +([\x21-\x7e]+) *$/i.exec(header ?? '')?.[1]
    const principal = credential === undefined ? undefined : access.authenticate(credential)
    if (!principal) throw challenge(header)
    request.principal = principal
  })
}

/** Refuses who is known, and may not. Call it after requireCredential. */
export function requireRights (app: FastifyInstance): void {
  app.addHook('onRequest', async ({ principal, routeOptions }) => {
    const caller = routeOptions.config.operation?.caller
    if (principal && caller !== undefined) requireRight(principal, caller)
  })
}

/** The caller of an authenticated operation. */
export function principalOf (request: FastifyRequest): Principal {
  if (!request.principal) throw new Error('operation registered outside requireCredential, or public')
  return request.principal
}
