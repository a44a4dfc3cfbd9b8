/** Authentication (credential to principal) and the right to call an operation. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isApiKey } from '../../domain/access.js'
import { AppError } from '../../domain/errors.js'
import type { Principal } from '../../domain/access.js'
import { PAGE_CHALLENGE } from '../../service/accounts.js'
import type { Keys } from '../../service/keys.js'
import type { Tokens } from '../../service/tokens.js'
import { baseUrlOf } from '../contract/base-url.js'
import type { Caller } from '../contract/operation.js'
import { isSafeMethod } from './cross-site.js'
import { actAs, PAGE_COOKIE } from './page-session.js'

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined
    /** Checks the credential again, for replies that take long. */
    isStillValid: () => Promise<boolean>
  }
}

/** The same for all three reasons, so that nobody learns which keys exist. */
const NOT_VALID = 'The API key or token is not valid: it is unknown, revoked or expired. Send a valid one.'
const ENDED = 'The API key, token or session was revoked or expired before the request was complete. Nothing was changed. Sign in, or ' +
  'send a valid key or token.'

type Deps = {
  keys: Pick<Keys, 'authenticate'>
  /** Undefined: only API keys are accepted. */
  tokens: Pick<Tokens, 'authenticate'> | undefined
  publicUrl: string | undefined
}

/** The WWW-Authenticate header of RFC 6750 and RFC 9728. */
function challengeOf (request: FastifyRequest, publicUrl: string | undefined, more = ''): { headers: Record<string, string> } {
  const metadata = `${baseUrlOf(request, publicUrl)}/.well-known/oauth-protected-resource`.replace(/["\\]/g, '')
  return { headers: { 'www-authenticate': `Bearer realm="stenobox", resource_metadata="${metadata}"${more}` } }
}

/** Throws `api_key_required` and `insufficient_scope`. An API key and a session may do everything that their owner may do. */
function requireRight ({ scopes }: Principal, caller: Caller, request: FastifyRequest, publicUrl: string | undefined): void {
  if (!scopes) return
  if (caller === 'api_key') throw new AppError('api_key_required', 'This operation needs an API key; tokens are not accepted.')
  if ((scopes as ReadonlySet<string>).has(caller)) return
  const challenge = challengeOf(request, publicUrl, `, error="insufficient_scope", scope="${caller}"`)
  throw new AppError('insufficient_scope', `The token does not have the scope ${caller}. Ask for a token that has it.`, challenge)
}

/** Why a request without a key or token is refused. RFC 6750 section 3.1: no error code when it carried no credentials. */
function missingCredential (request: FastifyRequest, caller: Caller, publicUrl: string | undefined): AppError {
  const challenge = caller === 'session' ? { headers: PAGE_CHALLENGE } : challengeOf(request, publicUrl)
  if (request.cookies[PAGE_COOKIE] !== undefined) return new AppError('unauthorized', 'Your session has ended. Sign in again.', challenge)
  if (caller === 'session') return new AppError('unauthorized', 'Sign in first: POST /api/v1/session.', challenge)
  return new AppError('unauthorized', 'An API key is needed: Authorization: Bearer service_sk_…', challenge)
}

/**
 * Operations registered on `app` after this call need a credential, unless they are public or for the administrator. Call it after
 * readPageSession.
 */
export function requireCredential (app: FastifyInstance, { keys, tokens, publicUrl }: Deps): void {
  const authenticate = async (credential: string): Promise<Principal | undefined> =>
    isApiKey(credential) ? keys.authenticate(credential) : await tokens?.authenticate(credential)

  app.decorateRequest('principal', undefined)
  app.decorateRequest('isStillValid')
  app.addHook('onRequest', async (request) => {
    if (request.pageSession) return actAs(request, request.pageSession)
    const caller = request.routeOptions.config.operation?.caller
    if (caller === undefined || caller === 'public' || caller === 'administrator') return
    const header = request.headers.authorization
    if (header === undefined) throw missingCredential(request, caller, publicUrl)
    const credential = /^Bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1]
    const principal = credential === undefined ? undefined : await authenticate(credential)
    const challenge = challengeOf(request, publicUrl, ', error="invalid_token"')
    if (!principal) throw new AppError('unauthorized', NOT_VALID, challenge)
    if (caller === 'session') throw new AppError('session_required', 'Only a person who is signed in on the page may do this.')
    request.principal = principal
    request.isStillValid = async () => (await authenticate(credential ?? ''))?.ownerId === principal.ownerId
  })
  // A body may come slowly, and its credential may have been revoked meanwhile.
  app.addHook('preHandler', async (request) => {
    if (isSafeMethod(request.method) || !request.principal || await request.isStillValid()) return
    const caller = request.routeOptions.config.operation?.caller
    const challenge = caller === 'session' ? { headers: PAGE_CHALLENGE } : challengeOf(request, publicUrl, ', error="invalid_token"')
    throw new AppError('unauthorized', ENDED, challenge)
  })
}

/** 403 for callers without the scope of the operation. Call it after requireCredential. */
export function requireRights (app: FastifyInstance, publicUrl: string | undefined): void {
  app.addHook('onRequest', async (request) => {
    const caller = request.routeOptions.config.operation?.caller
    if (request.principal && caller !== undefined) requireRight(request.principal, caller, request, publicUrl)
  })
}

/** The caller of an authenticated operation. */
export function principalOf (request: FastifyRequest): Principal {
  if (!request.principal) throw new Error('operation registered outside requireCredential, or public')
  return request.principal
}
