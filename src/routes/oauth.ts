/**
 * Mounts our own authorization server. Its paths are not in the OpenAPI document, because they answer in the forms of OAuth and HTML, not
 * with the envelope. Clients find them in the metadata of RFC 8414; the security scheme of the document names the two that matter.
 */
import type { FastifyInstance, FastifyPluginAsync, HTTPMethods } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'

export type AuthorizationServer = {
  /** `body`: the bytes of a POST. `address`: of the client. */
  answer (request: IncomingMessage, response: ServerResponse, body: Buffer | undefined, address: string): Promise<void>
}

/** Larger than any login form, code or client metadata. */
const BODY_BYTES = 32 * 1024

const ADDRESSES: ReadonlyArray<[HTTPMethods[], string]> = [
  [['GET'], '/.well-known/oauth-authorization-server'],
  [['GET'], '/.well-known/openid-configuration'],
  [['GET'], '/oauth/authorize'],
  [['GET'], '/oauth/authorize/:uid'],
  [['GET', 'POST'], '/oauth/interaction/:uid'],
  [['POST', 'OPTIONS'], '/oauth/token'],
  [['POST', 'OPTIONS'], '/oauth/revoke'],
  [['GET', 'OPTIONS'], '/oauth/jwks'],
  // oidc-provider ends the session of one owner here before another logs in.
  [['POST'], '/oauth/logout/confirm']
]

/** Passes bodies through as bytes: oidc-provider parses them. */
function takeBytes (app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES }, (_request, body, done) => { done(null, body) })
}

type Deps = { server: AuthorizationServer, registration: boolean }

export const oauthRoutes: FastifyPluginAsync<Deps> = async (app, { server, registration }) => {
  takeBytes(app)
  const addresses = registration ? [...ADDRESSES, [['POST'], '/oauth/register'] as const] : ADDRESSES
  for (const [method, url] of addresses) {
    app.route({
      method: [...method],
      url,
      async handler (request, reply) {
        const body = request.method === 'POST' ? (request.body as Buffer | undefined) ?? Buffer.alloc(0) : undefined
        await server.answer(request.raw, reply.raw, body, request.clientAddress)
        // Not earlier: if it fails before it answers, the error handler must answer.
        reply.hijack()
      }
    })
  }
}
