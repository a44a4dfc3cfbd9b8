/** A separate identity provider: oidc-provider set up as its documentation says, for one agent, more clients, and any login. */
import { strict as assert } from 'node:assert'
import { Provider } from 'oidc-provider'
import type { ClientMetadata, Configuration } from 'oidc-provider'
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Test } from 'tap'
import { REDIRECT_URI } from './agent.ts'
import type { Browser, Visit } from './browser.ts'
import { createSigningKey } from './issuer.ts'
import { findFreePort } from '../../dist/evaluate/machine/ports.js'
import { exportJWK } from 'jose'

export async function startProvider (t: Test, audience: string, clients: ClientMetadata[] = []) {
  const port = await findFreePort()
  const issuer = `http://127.0.0.1:${port}`
  const { privateKey, publicJwk } = await createSigningKey('provider-1', 'RS256')
  const configuration: Configuration = {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: publicJwk.kid, alg: 'RS256', use: 'sig' }] } as NonNullable<
      Configuration['jwks']
    >,
    clients: [
      {
        client_id: 'agent',
        application_type: 'native',
        redirect_uris: [REDIRECT_URI],
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token']
      },
      ...clients
    ],
    features: {
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => audience,
        useGrantedResource: async () => true,
        getResourceServerInfo: async () => ({
          scope: 'transcripts:read transcripts:write exports:read repurpose:run made:up',
          audience,
          accessTokenFormat: 'jwt'
        })
      }
    },
    issueRefreshToken: async () => true,
    findAccount: async (_ctx, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) })
  }
  let server: Server | undefined
  const start = async (): Promise<void> => {
    server = new Provider(issuer, configuration).listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const stop = async (): Promise<void> => {
    server?.closeAllConnections()
    await new Promise((resolve) => { server?.close(resolve) })
  }
  await start()
  t.teardown(stop)
  return { issuer, start, stop }
}

/** Logs in and consents, as far as the provider asks. Returns the address, beginning with `until`, to which it sends the browser. */
export async function logInAt (browser: Browser, url: URL, login: string, until: string): Promise<URL> {
  let visit = await browser.open(url, until)
  for (let forms = 0; !visit.url.href.startsWith(until); forms++) {
    assert(forms < 3, `the provider goes on asking: ${browser.textOf(visit)}`)
    const prompt = /name="prompt" value="(\w+)"/.exec(visit.body)?.[1] ?? 'login'
    const form: Visit = { ...visit, url: new URL(/action="([^"]+)"/.exec(visit.body)?.[1] ?? '', visit.url), body: '<form method="post">' }
    visit = await browser.submit(form, prompt === 'login' ? { prompt, login, password: 'x' } : { prompt }, until)
  }
  return visit.url
}
