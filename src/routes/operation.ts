/**
 * The declaration of an operation: from one object come the checks of the request, the shape of the reply, who may call, and its page in the
 * OpenAPI document. A route without one does not start.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { TObject, TSchema } from 'typebox'
import type { Scope } from '../domain/access.js'
import type { ErrorCode } from '../domain/errors.js'
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../domain/idempotency.js'

/**
 * Who may call: holders of an API key, and of OAuth tokens with this scope; `api_key`: only of keys; `administrator`: a session of the
 * administrator; `public`: anybody.
 */
export type Caller = Scope | 'api_key' | 'administrator' | 'public'

/** Sections of the document. */
export const TAGS = {
  Sources: 'Recordings from an address: files, pages of video platforms, podcast feeds, streams.',
  Uploads: 'Recordings in parts, resumable after a crash of either side.',
  Jobs: 'Job status and retry.',
  Transcriptions: 'The library: texts, words and files.',
  Vocabulary: 'Names and terms that recordings of an owner may hold, so that transcripts spell them right.',
  Webhooks: 'Told when a job ends, instead of asking.',
  Usage: 'What a key has used, and what is left.',
  OAuth: 'For agents that act for an owner. The authorization server describes itself at the address this metadata names.',
  Administration: 'Owners, keys and plans, for whoever runs the appliance. Off unless STENOBOX_ADMIN_PASSWORD is set; takes a session, never a key or a token.',
  Health: 'For load balancers and containers.'
} as const

export type Operation = {
  operationId: string
  tag: keyof typeof TAGS
  summary: string
  description?: string
  caller: Caller
  params?: TSchema
  querystring?: TSchema
  headers?: TObject
  body?: TSchema
  /** Successful replies in JSON, by status. Each schema has a description and an example. */
  replies: Readonly<Record<number, TSchema>>
  /** A successful reply that is a file, by content type. Each schema has an example. */
  files?: Readonly<Record<string, TSchema>>
  /** The body is bytes of any type, streamed. */
  takesBytes?: true
  /** Also when the requests of the day are used up. */
  isAlwaysAnswered?: true
  /** Takes an Idempotency-Key: the same request under the same key is carried out once. */
  idempotent?: true
  /** What can go wrong besides what can on every operation of its kind. */
  errors?: readonly ErrorCode[]
  /** Days (ISO 8601) since when it is deprecated and on which it goes. */
  deprecated?: { since: string, sunset: string }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation
  }
}

export const IDEMPOTENCY_KEY = 'Idempotency-Key'
/** On answers that were given before. */
export const IDEMPOTENCY_REPLAYED = 'Idempotency-Replayed'

const IdempotencyHeaders = {
  [IDEMPOTENCY_KEY]: Type.Optional(Type.String({
    minLength: 1,
    maxLength: MAX_IDEMPOTENCY_KEY_LENGTH,
    pattern: '^[\\x21-\\x7e]+$',
    description: 'A random name of this request, such as a UUID. The same request sent again under it within 24 hours is answered as the first was and not carried out again. Answers 400, 409, 429 and from 500 up are not kept.'
  }))
}

/** The schema of all headers of an operation. */
export function headersOf ({ headers, idempotent }: Operation): TObject | undefined {
  return idempotent ? Type.Object({ ...headers?.properties, ...IdempotencyHeaders }) : headers
}

/** Node has header names in lower case, and Fastify leaves the names in a schema alone when the validator is not its own. */
function lowerCaseNames (headers: TObject | undefined): TObject | undefined {
  return headers && Type.Object(Object.fromEntries(Object.entries(headers.properties).map(([name, schema]) => [name.toLowerCase(), schema])))
}

type RequestSchemas<O extends Operation> = { [K in keyof O & ('params' | 'querystring' | 'headers' | 'body')]: O[K] }

/** Route options of an operation, typed by its schemas. */
export function operation<const O extends Operation> (spec: O): { schema: RequestSchemas<O> & { response: O['replies'] }, config: { operation: Operation } } {
  const { params, querystring, body, replies } = spec
  const request = Object.fromEntries(Object.entries({ params, querystring, headers: lowerCaseNames(headersOf(spec)), body }).filter(([, schema]) => schema !== undefined)) as RequestSchemas<O>
  return { schema: { ...request, response: replies }, config: { operation: spec } }
}

/** Whether its requests are those of an owner, and counted. */
const isMetered = ({ caller }: Operation): boolean => caller !== 'public' && caller !== 'administrator'

/** What can go wrong on any operation like this one, with what it names itself. */
export function errorsOf (spec: Operation, method: string): ErrorCode[] {
  const codes = new Set<ErrorCode>(['invalid_request', 'request_timeout', 'expectation_failed', 'headers_too_large', 'internal_error', 'unavailable'])
  if (spec.caller !== 'public') codes.add('unauthorized')
  if (spec.caller === 'api_key') codes.add('api_key_required')
  if (spec.caller === 'administrator') codes.add('administration_off').add('cross_site_request')
  if (spec.caller.includes(':')) codes.add('insufficient_scope')
  if (isMetered(spec) && !spec.isAlwaysAnswered) codes.add('quota_exceeded')
  if (method !== 'GET') for (const code of ['payload_too_large', 'unsupported_media_type', 'insufficient_storage'] as const) codes.add(code)
  // Too long to be looked at.
  if (spec.params) codes.add('not_found')
  if (spec.idempotent) codes.add('idempotency_in_flight').add('idempotency_mismatch')
  for (const code of spec.errors ?? []) codes.add(code)
  return [...codes]
}

/** Many clients put a content type on every request: on one without a body, to an operation that takes none, it says nothing. */
function ignoreTypeOfNothing ({ headers, routeOptions }: FastifyRequest): void {
  const { body, takesBytes } = routeOptions.config.operation ?? {}
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
  if (isEmpty && !body && !takesBytes) delete headers['content-type']
}

/** Midnight UTC of a day, in seconds. */
const epochSeconds = (day: string): number => Date.parse(day) / 1000

/** Refuses routes without a declaration, reads requests as they are declared, and marks deprecated ones as RFC 9745 and RFC 8594 say, on every reply. Call it before routes are registered. */
export function requireOperations (app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (!config?.operation) throw new Error(`${[method].flat().join(', ')} ${url} is not declared as an operation`)
  })
  app.addHook('onRequest', async (request, reply) => {
    ignoreTypeOfNothing(request)
    const { deprecated } = request.routeOptions.config.operation ?? {}
    if (!deprecated) return
    reply.header('deprecation', `@${epochSeconds(deprecated.since)}`).header('sunset', new Date(deprecated.sunset).toUTCString())
  })
}
