/**
 * Where our own authorization server is mounted. Its addresses are not in the OpenAPI document: they answer in the forms of OAuth and HTML, not
 * with the envelope; clients learn them from the metadata of RFC 8414, and the document's security scheme names the two that matter.
 */
import type { FastifyInstance, FastifyPluginAsync, HTTPMethods } from 'fastify'
import type { IncomingMessage, ServerResponse } from 'node:http'

export type AuthorizationServer = {
  /** `body`: what came with a POST. */
  answer (request: IncomingMessage, response: ServerResponse, body: Buffer | undefined): Promise<void>
}

/** A form of login, a code, the metadata of a client: none is longer. */
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
  // Where oidc-provider ends the session of one owner before another logs in.
  [['POST'], '/oauth/logout/confirm']
]

/** Bodies come as they are: the form of OAuth is the other side's business. */
function takeBytes (app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES }, (_request, body, done) => { done(null, body) })
}

export const oauthRoutes: FastifyPluginAsync<{ server: AuthorizationServer, registration: boolean }> = async (app, { server, registration }) => {
  takeBytes(app)
  const addresses = registration ? [...ADDRESSES, [['POST'], '/oauth/register'] as const] : ADDRESSES
  for (const [method, url] of addresses) {
    app.route({
      method: [...method],
      url,
      async handler (request, reply) {
        await server.answer(request.raw, reply.raw, request.method === 'POST' ? (request.body as Buffer | undefined) ?? Buffer.alloc(0) : undefined)
        // Only now: had it failed before it answered, the error handler would have.
        reply.hijack()
      }
    })
  }
}
