/** The OpenAPI document, made from the declarations of operations, and the page that shows it. */
import fastifySwagger from '@fastify/swagger'
import fastifySwaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { STATUS_CODES } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from 'typebox'
import { OFFERED_SCOPES, SCOPES } from '../../domain/access.js'
import { ERRORS } from '../contract/error-table.js'
import { errorsOf, headersOf, IDEMPOTENCY_REPLAYED, TAGS } from '../contract/operation.js'
import type { Operation } from '../contract/operation.js'
import { ErrorBody, Problem } from '../contract/schemas.js'
import { WEBHOOKS } from '../contract/webhook-document.js'
import { PAGE_COOKIE } from './page-session.js'
import { SESSION_COOKIE } from './session.js'

/** Version of the interface, not of the program. */
const INTERFACE_VERSION = '1.0.0'

const SECURITY_SCHEMES = {
  apiKey: { type: 'http' as const, scheme: 'bearer', description: 'An API key: `service_sk_` followed by a secret.' },
  adminSession: {
    type: 'apiKey' as const, in: 'cookie' as const, name: SESSION_COOKIE,
    description: 'An administrator session. POST /api/v1/admin/session starts one.'
  },
  pageSession: {
    type: 'apiKey' as const, in: 'cookie' as const, name: PAGE_COOKIE,
    description: 'The session of a person who is signed in on the page. POST /api/v1/session starts one.'
  },
  oauth: {
    type: 'oauth2' as const,
    description: 'For agents. The metadata at /.well-known/oauth-protected-resource names the authorization server.',
    flows: {
      authorizationCode: {
        authorizationUrl: '/oauth/authorize', tokenUrl: '/oauth/token', refreshUrl: '/oauth/token',
        scopes: Object.fromEntries(OFFERED_SCOPES.map((scope) => [scope, SCOPES[scope]]))
      }
    }
  }
}

/** Not required, because replies on a plan without limits do not have them. */
const RATE_LIMITS = {
  'RateLimit-Policy': {
    description: 'Only on plans with a limit: the limit in the form of draft-ietf-httpapi-ratelimit-headers. `q` requests, or minutes of ' +
      'recordings, in `w` seconds.',
    schema: { type: 'string' },
    example: '"day";q=100;w=86400'
  },
  RateLimit: {
    description: 'Only on plans with a limit: what is left (`r`), and the seconds until the limit is reset (`t`).',
    schema: { type: 'string' },
    example: '"day";r=42;t=3600'
  }
}

type Example = { value: unknown }
type Content = Record<string, { schema: unknown, example?: unknown, examples?: Record<string, Example> }>
/** `type`: of replies without a body. */
type Response = { description: string, headers?: Record<string, unknown>, content?: Content, type?: 'null' }
type Reply = Partial<Response> & { $ref?: string }
type Paths = Record<string, Record<string, { security?: Array<Record<string, string[]>>, responses: Record<string, Reply> }>>

/** Statuses of replies that are sent before the caller is known. */
const BEFORE_CREDENTIALS = new Set(['401', '408', '417', '431'])

function securityOf ({ caller }: Operation): Array<Record<string, string[]>> {
  if (caller === 'public') return []
  const pageSession = { pageSession: [] }
  if (caller === 'session') return [pageSession]
  if (caller === 'administrator') return [{ adminSession: [] }, pageSession]
  return caller === 'api_key' ? [{ apiKey: [] }, pageSession] : [{ apiKey: [] }, { oauth: [caller] }, pageSession]
}

/** A body with this schema. The example of the schema becomes the example of the body. */
function content (schema: TSchema, type = 'application/json'): Content {
  const { examples = [], description: _, ...rest } = schema as { examples?: unknown[], description?: string }
  return { [type]: { schema: rest, ...(examples.length > 0 ? { example: examples[0] } : {}) } }
}

function errorResponse (status: number, codes: string[]): Response {
  const errors = codes.map((code) => [code, ERRORS[code as keyof typeof ERRORS]] as const)
  const headers = [...new Set(errors.flatMap(([, { headers = [] }]) => headers))]
  const requestId = '7d3c4f5e-0d4b-4c1e-9a55-0f6b2f1d8e21'
  const body = (code: string, sentence: string) => ({ success: false, error: sentence, code, requestId })
  const title = STATUS_CODES[status] ?? ''
  const envelopes = errors.map(([code, { when }]) => [code, { value: body(code, when) }] as const)
  const toProblem = (code: string, when: string) => ({ type: 'about:blank', title, status, detail: when, ...body(code, when) })
  const problems = errors.map(([code, { when }]) => [code, { value: toProblem(code, when) }] as const)
  return {
    description: errors.map(([code, { when }]) => `\`${code}\`: ${when}`).join('\n\n'),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers.map((name) => [name, { type: 'string' }])) }),
    content: {
      'application/json': { schema: ErrorBody, examples: Object.fromEntries(envelopes) },
      'application/problem+json': { schema: Problem, examples: Object.fromEntries(problems) }
    }
  }
}

const REPLAYED = {
  [IDEMPOTENCY_REPLAYED]: { description: '`true` if this reply repeats that of an earlier request', type: 'string' }
}

function responsesOf (spec: Operation, method: string): Record<string, Response> {
  const responses: Record<string, Response> = {}
  for (const [status, schema] of Object.entries(spec.replies)) {
    responses[status] = {
      description: (schema as { description?: string }).description ?? '',
      ...(spec.idempotent ? { headers: REPLAYED } : {}),
      content: content(schema)
    }
  }
  if (spec.files) {
    responses[200] = {
      description: 'The file.',
      headers: { 'Content-Disposition': { description: 'the file name', type: 'string' } },
      content: Object.assign({}, ...Object.entries(spec.files).map(([type, schema]) => content(schema, type))) as Content
    }
    if (spec.hasParts) {
      responses[206] = { ...responses[200], description: 'The part of the file that Range asks for.' }
      responses[304] = { description: 'The client has the file already.', type: 'null' }
    }
  }
  const codes = errorsOf(spec, method)
  for (const status of [...new Set(codes.map((code) => ERRORS[code].status))].sort()) {
    responses[status] = errorResponse(status, codes.filter((code) => ERRORS[code].status === status))
  }
  return responses
}

/** An operation in the form that @fastify/swagger expects. */
function describe (spec: Operation, route: RouteOptions): Record<string, unknown> {
  const { operationId, tag, summary, description, params, querystring, body, takesBytes } = spec
  const headers = headersOf(spec)
  return {
    operationId,
    summary,
    tags: [tag],
    security: securityOf(spec),
    ...(description === undefined ? {} : { description }),
    ...(spec.deprecated ? { deprecated: true } : {}),
    ...(params ? { params } : {}),
    ...(querystring ? { querystring } : {}),
    ...(headers ? { headers } : {}),
    ...(body ? { body } : {}),
    ...(takesBytes ? { body: { content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } } } } : {}),
    response: responsesOf(spec, String(route.method))
  }
}

/** Moves every schema with a title into the components. Throws if two different schemas have the same title. */
function nameComponents (node: unknown, components: Record<string, unknown>): unknown {
  if (Array.isArray(node)) return node.map((item) => nameComponents(item, components))
  if (node === null || typeof node !== 'object') return node
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => {
    const isExample = key === 'example' || key === 'examples'
    return [key, isExample ? value : nameComponents(value, components)]
  }))
  if (typeof copy['title'] !== 'string' || !('type' in copy || 'anyOf' in copy) || !/^[A-Z]\w+$/.test(copy['title'])) return copy
  const { title, ...schema } = copy
  const known = components[title]
  if (known !== undefined && !isDeepStrictEqual(known, schema)) throw new Error(`two schemas are called ${title}`)
  components[title] = schema
  return { $ref: `#/components/schemas/${title}` }
}

function sorted (components: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(components).sort(([a], [b]) => a < b ? -1 : 1))
}

/** Moves every error response into the components, named by its codes. */
function nameErrors (paths: Paths, responses: Record<string, Reply>): Paths {
  const named = structuredClone(paths)
  for (const { responses: own } of Object.values(named).flatMap((methods) => Object.values(methods))) {
    for (const [status, response] of Object.entries(own).filter(([status]) => Number(status) >= 400)) {
      const codes = Object.keys(response.content?.['application/json']?.examples ?? {})
      const name = codes.map((code) => code.replace(/(?:^|_)(.)/g, (_, first: string) => first.toUpperCase())).join('Or')
      responses[name] = response
      own[status] = { $ref: `#/components/responses/${name}` }
    }
  }
  return named
}

/** Adds the rate limit headers to replies of metered operations, and to error components that such an operation uses. */
function addRateLimits (paths: Paths, components: Record<string, Reply>): void {
  const headers = Object.fromEntries(Object.keys(RATE_LIMITS).map((name) => [name, { $ref: `#/components/headers/${name}` }]))
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const metered = operations.filter(({ security }) => security?.some((scheme) => 'apiKey' in scheme))
  for (const [status, response] of metered.flatMap(({ responses }) => Object.entries(responses))) {
    const reply = response.$ref === undefined ? response : components[response.$ref.split('/').at(-1) ?? '']
    if (reply && !BEFORE_CREDENTIALS.has(status)) reply.headers = { ...reply.headers, ...headers }
  }
}

function finish (document: Record<string, unknown>): Record<string, unknown> {
  const schemas: Record<string, unknown> = {}
  const responses: Record<string, Reply> = {}
  const paths = nameErrors(nameComponents(document['paths'], schemas) as Paths, responses)
  const webhooks = nameComponents(WEBHOOKS, schemas)
  addRateLimits(paths, responses)
  const components = { ...document['components'] as object, headers: RATE_LIMITS, schemas: sorted(schemas), responses: sorted(responses) }
  return { ...document, paths, webhooks, components }
}

/** Collects the operations registered after this call. */
export async function collectOperations (app: FastifyInstance, publicUrl: string | undefined): Promise<void> {
  await app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Stenobox',
        version: INTERFACE_VERSION,
        description: 'Transcription of recordings on your own machine, with the time and probability of every word. ' +
          'Every JSON reply is an envelope: `{"success":true,"data":…}` or `{"success":false,"error":"…","code":"…","requestId":"…"}`.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' }
      },
      servers: [{ url: publicUrl ?? '/', description: 'this appliance' }],
      components: { securitySchemes: SECURITY_SCHEMES },
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description }))
    },
    transform: ({ schema, url, route }) => {
      const spec = route.config?.operation
      return { schema: spec ? describe(spec, route) : { ...schema, hide: true }, url }
    },
    transformObject: (document) => finish('openapiObject' in document ? document.openapiObject as Record<string, unknown> : {})
  })
}

/**
 * The policy of the package would redirect browsers to https, which does not exist on a local network, and allow style sheets from any
 * site. Its page sets styles on elements, so 'unsafe-inline' is needed.
 */
const DOCS_CSP = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'self'; " +
  "form-action 'none'; frame-ancestors 'none'"

/** Serves the document and a page that shows it. All assets of the page are served from here. */
export async function serveDocument (app: FastifyInstance): Promise<void> {
  let text: string | undefined
  app.get('/api/v1/openapi.json', async (_request, reply) => {
    text ??= JSON.stringify(app.swagger())
    return await reply.type('application/json; charset=utf-8').send(text)
  })
  app.get('/api/v1/openapi.yaml', async (_request, reply) =>
    reply.type('application/yaml; charset=utf-8').send(app.swagger({ yaml: true })))
  await app.register(fastifySwaggerUi, { routePrefix: '/docs', staticCSP: DOCS_CSP, indexPrefix: '' })
}
