/** Rewrites requests for oidc-provider: the issuer's single address, and registered scopes only. */
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { MAX_NAME_LENGTH, OFFERED_SCOPES, registeredScopes } from '../domain/access.js'
import { resourceNames } from '../domain/oauth.js'

/** Parameters of the scope `openid`, which is not offered. With them oidc-provider would refuse the request. */
const OPENID_PARAMETERS = ['acr_values', 'claims', 'claims_locales', 'id_token_hint', 'max_age', 'nonce']
/** RFC 7591 fields that are shown or stored. A public client needs no others. */
const METADATA = ['client_name', 'redirect_uris', 'grant_types', 'response_types', 'token_endpoint_auth_method']
/** Invisible characters, which can make a name look like another. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

const registered = (scope: string): string => [...registeredScopes(scope.split(' '))].join(' ')

/** Rewrites `scope` and `resource`. oidc-provider refuses parameters that are given twice. */
function rewriteParameters (parameters: URLSearchParams, issuer: string): void {
  const scopes = parameters.getAll('scope')
  if (scopes.length === 1) parameters.set('scope', registered(scopes[0] ?? ''))
  const ours = resourceNames(issuer)
  const resources = parameters.getAll('resource').map((resource) => ours.includes(resource) ? issuer : resource)
  parameters.delete('resource')
  for (const resource of new Set(resources)) parameters.append('resource', resource)
}

/** Without `scope`, all offered scopes are requested: the owner sees the list before agreeing. */
export function rewriteAuthorization (url: string, issuer: string): string {
  const [path = '', ...query] = url.split('?')
  const parameters = new URLSearchParams(query.join('?'))
  if (!parameters.has('scope')) parameters.set('scope', OFFERED_SCOPES.join(' '))
  rewriteParameters(parameters, issuer)
  for (const name of OPENID_PARAMETERS) parameters.delete(name)
  return `${path}?${parameters}`
}

export function rewriteForm (body: Buffer, issuer: string): Buffer {
  const parameters = new URLSearchParams(body.toString('utf8'))
  rewriteParameters(parameters, issuer)
  return Buffer.from(parameters.toString())
}

/** Keeps the needed fields of a registration. oidc-provider refuses bodies that are not a JSON object. */
export function rewriteRegistration (body: Buffer): Buffer {
  try {
    const metadata: unknown = JSON.parse(body.toString('utf8'))
    if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return body
    // Without this, oidc-provider would create a secret that is never used.
    const kept = Object.fromEntries(
      Object.entries({ token_endpoint_auth_method: 'none', ...metadata }).filter(([name]) => METADATA.includes(name))
    )
    if (typeof kept['client_name'] === 'string') kept['client_name'] = kept['client_name'].replace(INVISIBLE, '').slice(0, MAX_NAME_LENGTH)
    return Buffer.from(JSON.stringify(kept))
  } catch {
    return body
  }
}

/**
 * Builds a request with the issuer's host, scheme and path, whatever the client or a proxy sent, and with `body`, which has been read
 * already. oidc-provider makes addresses and cookie flags from these.
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
    headers: {
      ...headers,
      host,
      'x-forwarded-proto': protocol.slice(0, -1),
      ...(body === undefined ? {} : { 'content-length': String(body.length) })
    }
  }) as unknown as IncomingMessage
}
