/** An agent's program as its author would write it, with a third-party OAuth library. */
import * as oauth from 'oauth4webapi'

const INSECURE = { [oauth.allowInsecureRequests]: true }
export const REDIRECT_URI = 'http://127.0.0.1/callback'

export type Tokens = oauth.TokenEndpointResponse

/** Finds the authorization server of an interface by RFC 9728 and RFC 8414. */
export async function discover (resource: string): Promise<{ server: oauth.AuthorizationServer, protectedResource: oauth.ResourceServer }> {
  const url = new URL(resource)
  const protectedResource = await oauth.processResourceDiscoveryResponse(url, await oauth.resourceDiscoveryRequest(url, INSECURE))
  const issuer = new URL(protectedResource.authorization_servers?.[0] ?? '')
  const algorithm = 'oauth2' as const
  return {
    protectedResource,
    server: await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { algorithm, ...INSECURE }))
  }
}

export async function register (server: oauth.AuthorizationServer, metadata: Partial<oauth.Client> = {}): Promise<oauth.Client> {
  const response = await oauth.dynamicClientRegistrationRequest(
    server,
    { client_name: 'Agent', redirect_uris: [REDIRECT_URI], token_endpoint_auth_method: 'none', ...metadata } as oauth.Client,
    INSECURE
  )
  return await oauth.processDynamicClientRegistrationResponse(response) as oauth.Client
}

/** One login: the address to open in a browser, and the handling of the final redirect. */
export async function beginLogin (
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  options: { resource: string, scope?: string, redirectUri?: string }
) {
  const { resource, scope, redirectUri = REDIRECT_URI } = options
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const url = new URL(server.authorization_endpoint ?? '')
  url.search = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    resource,
    ...(scope === undefined ? {} : { scope })
  }).toString()
  return {
    url,
    redirectUri,
    /** Throws the library's error for an error answer. */
    finish: async (landed: URL): Promise<Tokens> => {
      const answer = oauth.validateAuthResponse(server, client, landed, state)
      const response = await oauth.authorizationCodeGrantRequest(server, client, oauth.None(), answer, redirectUri, verifier, {
        additionalParameters: { resource },
        ...INSECURE
      })
      return await oauth.processAuthorizationCodeResponse(server, client, response)
    }
  }
}

export async function refresh (
  server: oauth.AuthorizationServer,
  client: oauth.Client,
  token: string,
  parameters: Record<string, string> = {}
): Promise<Tokens> {
  const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), token, {
    additionalParameters: parameters,
    ...INSECURE
  })
  return await oauth.processRefreshTokenResponse(server, client, response)
}

/** The OAuth error code of a failed request; undefined when it succeeds. */
export async function errorOf (request: Promise<unknown>): Promise<string | undefined> {
  try {
    await request
    return undefined
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError) return error.error
    throw error
  }
}
