/** Our own authorization server: oidc-provider with few features. Loaded only when it is turned on. */
import { errors, interactionPolicy, Provider } from 'oidc-provider'
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { OFFERED_SCOPES, SCOPES } from '../domain/access.js'
import type { Log } from '../domain/log.js'
import type { Audit } from '../service/audit.js'
import type { LoginLimit } from '../service/login-limit.js'
import type { Oauth } from '../service/oauth.js'
import type { Owners } from '../service/owners.js'
import { createAdapter } from './adapter.js'
import { createInteractions } from './interactions.js'
import { errorPage } from './pages.js'
import { createRequest, rewriteAuthorization, rewriteForm, rewriteRegistration } from './request.js'

const MINUTE_S = 60
const DAY_S = 24 * 60 * MINUTE_S
const ACCESS_TOKEN_S = 15 * MINUTE_S
const TTL = {
  AccessToken: ACCESS_TOKEN_S,
  AuthorizationCode: MINUTE_S,
  Interaction: 15 * MINUTE_S,
  // An open browser asks for the password again after this time.
  Session: 60 * MINUTE_S,
  // For each refresh token. Using one gives a new one.
  RefreshToken: 30 * DAY_S,
  // The owner is asked again after this time, even if tokens were refreshed.
  Grant: 180 * DAY_S
}
const ALGORITHM = 'ES256' as const
const REGISTERED_SCOPES = Object.keys(SCOPES)
const ROUTES = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  jwks: '/oauth/jwks',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  end_session: '/oauth/logout'
}
/** Every client is `native`: redirects to any port of this machine, and consent every time. */
const CLIENT_DEFAULTS = {
  application_type: 'native' as const,
  grant_types: ['authorization_code', 'refresh_token'],
  id_token_signed_response_alg: ALGORITHM,
  response_types: ['code' as const],
  token_endpoint_auth_method: 'none' as const
}

type Deps = {
  issuer: string
  /** True: clients may register themselves. */
  registration: boolean
  oauth: Oauth
  owners: Pick<Owners, 'findById' | 'verifyPassword'>
  loginLimit: LoginLimit
  audit: Pick<Audit, 'record'>
  log: Log
}

/** Headers of every answer: addresses here contain codes, and other sites must not frame our pages. */
const HEADERS = { 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' }

/** Describes the only resource. Throws `invalid_scope` when no requested scope is registered, `invalid_target` for other resources. */
function describeResource (issuer: string) {
  return async (ctx: KoaContextWithOIDC, resource: string) => {
    if (resource !== issuer) throw new errors.InvalidTarget()
    if (ctx.oidc.route === 'authorization' && !ctx.oidc.params?.['scope']) {
      throw new errors.InvalidScope('none of the requested scopes is registered here', '')
    }
    return {
      scope: REGISTERED_SCOPES.join(' '),
      audience: issuer,
      accessTokenFormat: 'jwt' as const,
      accessTokenTTL: ACCESS_TOKEN_S,
      jwt: { sign: { alg: ALGORITHM } }
    }
  }
}

/** The default policy, plus a new login when the session's owner is gone or may no longer log in. */
function createPolicy () {
  const policy = interactionPolicy.base()
  policy.get('login')?.checks.add(new interactionPolicy.Check('owner_gone', 'the owner cannot log in any more', (ctx) =>
    ctx.oidc.session?.accountId !== undefined && ctx.oidc.account === undefined))
  return policy
}

const features = (issuer: string, registration: boolean): Configuration['features'] => ({
  devInteractions: { enabled: false },
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  userinfo: { enabled: false },
  registration: { enabled: registration, issueRegistrationAccessToken: false },
  revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
  resourceIndicators: { enabled: true, defaultResource: async () => issuer, getResourceServerInfo: describeResource(issuer) }
})

function cookies (issuer: string): NonNullable<Configuration['cookies']> {
  const { pathname, protocol } = new URL(issuer)
  const cookie = { httpOnly: true, sameSite: 'lax' as const, secure: protocol === 'https:' }
  return {
    names: { session: 'stenobox_oauth', interaction: 'stenobox_oauth_interaction', resume: 'stenobox_oauth_resume' },
    long: { ...cookie, path: `${pathname.replace(/\/$/, '')}/oauth` },
    short: cookie
  }
}

function configure ({ issuer, registration, oauth, owners }: Deps): Configuration {
  return {
    adapter: createAdapter(oauth),
    jwks: { keys: [oauth.signingKey()] } as NonNullable<Configuration['jwks']>,
    features: features(issuer, registration),
    scopes: [],
    responseTypes: ['code'],
    clientAuthMethods: ['none'],
    clientDefaults: CLIENT_DEFAULTS,
    // All addresses without an origin share the origin `null`.
    clientBasedCORS: (_ctx, origin, client) =>
      origin !== 'null' && (client.redirectUris?.some((uri) => URL.parse(uri)?.origin === origin) ?? false),
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    ttl: TTL,
    cookies: cookies(issuer),
    routes: ROUTES,
    interactions: { policy: createPolicy(), url: async (_ctx, { uid }) => `${issuer}/oauth/interaction/${uid}` },
    async findAccount (_ctx, accountId) {
      const owner = owners.findById(Number(accountId))
      return owner?.hasPassword ? { accountId, claims: async () => ({ sub: accountId }) } : undefined
    },
    async renderError (ctx, { error, error_description: description }) {
      const { status, headers, body } = errorPage(ctx.status, `${error}${description === undefined ? '' : `: ${description}`}`)
      ctx.status = status
      ctx.set(headers)
      ctx.body = body
    },
    // Documents that clients name are not fetched: a registration holds everything needed.
    fetch: async () => {
      throw new Error('outbound requests are not made here')
    }
  }
}

function createProvider (deps: Deps): Provider {
  const provider = new Provider(deps.issuer, configure(deps))
  // Trust proxy headers: `createRequest` writes them.
  provider.proxy = true
  provider.use(async (ctx, next) => {
    await next()
    if (ctx.oidc?.route === 'discovery') Object.assign(ctx.body as object, { scopes_supported: OFFERED_SCOPES })
  })
  const report = (error: unknown): void => { deps.log.error({ err: error }, 'authorization server failed') }
  provider.on('server_error', (_ctx, error) => { report(error) })
  // koa's event, missing in the types of oidc-provider.
  ;(provider as NodeJS.EventEmitter).on('error', report)
  return provider
}

export function createAuthorizationServer (deps: Deps) {
  const { issuer, oauth, owners, loginLimit, audit, log } = deps
  const provider = createProvider(deps)
  const interactions = createInteractions({ provider, issuer, oauth, owners, loginLimit, audit, log })
  const respond = provider.callback()

  function rewriteBody (path: string, body: Buffer): Buffer {
    if (path === '/oauth/register') return rewriteRegistration(body)
    return path === '/oauth/token' ? rewriteForm(body, issuer) : body
  }

  return {
    /** Answers a request for an address of this server. `body`: the body of a POST. `address`: of the client. */
    async answer (raw: IncomingMessage, response: ServerResponse, body: Buffer | undefined, address: string): Promise<void> {
      const [path = ''] = (raw.url ?? '').split('?')
      for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
      const url = path === '/oauth/authorize' ? rewriteAuthorization(raw.url ?? '', issuer) : raw.url ?? ''
      const request = createRequest(raw, issuer, url, body && rewriteBody(path, body))
      if (path.startsWith('/oauth/interaction/')) return await interactions.answer(request, response, body, address)
      await respond(request, response)
    }
  }
}
