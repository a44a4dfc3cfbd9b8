/** Protected resource metadata (RFC 9728): which authorization server issues tokens for this appliance. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { OFFERED_SCOPES } from '../domain/access.js'
import { baseUrlOf } from './contract/base-url.js'
import { operation } from './contract/operation.js'

const Metadata = Type.Object({
  resource: Type.String(),
  resource_name: Type.String(),
  authorization_servers: Type.Array(Type.String(), { description: 'empty if tokens are not accepted' }),
  scopes_supported: Type.Array(Type.String()),
  bearer_methods_supported: Type.Array(Type.Literal('header'))
}, {
  title: 'ProtectedResource',
  description: 'Which authorization server issues tokens, and for which scopes. In the form of RFC 9728, without the envelope.',
  examples: [{
    resource: 'https://stenobox.example.org',
    resource_name: 'Stenobox',
    authorization_servers: ['https://stenobox.example.org'],
    scopes_supported: [...OFFERED_SCOPES],
    bearer_methods_supported: ['header']
  }]
})

/** A client may use either address as the resource. RFC 9728 section 3.1 appends the path of the resource. */
const RESOURCES = [
  { operationId: 'getProtectedResource', path: '', summary: 'Get the OAuth metadata of the appliance' },
  { operationId: 'getProtectedInterface', path: '/api/v1', summary: 'Get the OAuth metadata of the API' }
]

type Deps = { issuer: string | undefined, publicUrl: string | undefined }

export const protectedResourceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, { issuer, publicUrl }) => {
  const describe = (request: FastifyRequest, path: string) => ({
    resource: baseUrlOf(request, publicUrl) + path,
    resource_name: 'Stenobox',
    authorization_servers: issuer === undefined ? [] : [issuer],
    scopes_supported: [...OFFERED_SCOPES],
    bearer_methods_supported: ['header' as const]
  })

  for (const { operationId, path, summary } of RESOURCES) {
    app.get(`/.well-known/oauth-protected-resource${path}`, operation({
      operationId, tag: 'OAuth', summary, caller: 'public', replies: { 200: Metadata }
    }), async (request, reply) => reply.header('cache-control', 'max-age=300').send(describe(request, path)))
  }
}
