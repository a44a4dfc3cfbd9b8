/** Requests as oidc-provider should see them: under the one address of the issuer, and asking for registered scopes only. */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { MAX_NAME_LENGTH, registeredScopes, SCOPES } from '../domain/access.js'
import { resourceNames } from '../domain/oauth.js'

/** Parameters that mean something only beside the scope `openid`, which is not offered; with them the request would be refused. */
const OPENID_PARAMETERS = ['acr_values', 'claims', 'claims_locales', 'id_token_hint', 'max_age', 'nonce']
/** RFC 7591 fields that are shown or kept; more is not needed of a public client. */
const METADATA = ['client_name', 'redirect_uris', 'grant_types', 'response_types', 'token_endpoint_auth_method']
/** Characters that are not seen, and can make a name look like another. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

const registered = (scope: string): string => [...registeredScopes(scope.split(' '))].join(' ')

/** Rewrites `scope` and `resource`; a parameter given twice is left to be refused. */
function rewriteParameters (parameters: URLSearchParams, issuer: string): void {
  const scopes = parameters.getAll('scope')
  if (scopes.length === 1) parameters.set('scope', registered(scopes[0] ?? ''))
  const ours = resourceNames(issuer)
  const resources = parameters.getAll('resource').map((resource) => ours.includes(resource) ? issuer : resource)
  parameters.delete('resource')
  for (const resource of new Set(resources)) parameters.append('resource', resource)
}

/** Without a scope, everything is asked for: the owner sees the list before saying yes. */
export function rewriteAuthorization (url: string, issuer: string): string {
  const [path = '', ...query] = url.split('?')
  const parameters = new URLSearchParams(query.join('?'))
  if (!parameters.has('scope')) parameters.set('scope', Object.keys(SCOPES).join(' '))
  rewriteParameters(parameters, issuer)
  for (const name of OPENID_PARAMETERS) parameters.delete(name)
  return `${path}?${parameters}`
}

export function rewriteForm (body: Buffer, issuer: string): Buffer {
  const parameters = new URLSearchParams(body.toString('utf8'))
  rewriteParameters(parameters, issuer)
  return Buffer.from(parameters.toString())
}

/** Keeps what is needed of a registration; anything that is no JSON object is left to be refused. */
export function rewriteRegistration (body: Buffer): Buffer {
  try {
    const metadata: unknown = JSON.parse(body.toString('utf8'))
    if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return body
    // Named because without it oidc-provider would make a secret that nothing asks for.
    const kept = Object.fromEntries(Object.entries({ token_endpoint_auth_method: 'none', ...metadata }).filter(([name]) => METADATA.includes(name)))
    if (typeof kept['client_name'] === 'string') kept['client_name'] = kept['client_name'].replace(INVISIBLE, '').slice(0, MAX_NAME_LENGTH)
    return Buffer.from(JSON.stringify(kept))
  } catch {
    return body
  }
}

/**
 * The request with the host, scheme and path of the issuer, whatever the client or a proxy wrote, and with `body`, which was read before.
 * Addresses in answers and the flags of cookies are made from these.
 */
export function createRequest (raw: IncomingMessage, issuer: string, url: string, body: Buffer | undefined): IncomingMessage {
  const { host, protocol, pathname } = new URL(issuer)
  const { 'transfer-encoding': _, 'x-forwarded-host': __, ...headers } = raw.headers
  const { method, httpVersion, httpVersionMajor, httpVersionMinor, socket } = raw
  return Object.assign(Readable.from(body === undefined ? [] : [body]), {
    method,
    httpVersion,
    httpVersionMajor,
    httpVersionMinor,
    socket,
    url,
    originalUrl: pathname.replace(/\/$/, '') + url,
    headers: { ...headers, host, 'x-forwarded-proto': protocol.slice(0, -1), ...(body === undefined ? {} : { 'content-length': String(body.length) }) }
  }) as unknown as IncomingMessage
}
