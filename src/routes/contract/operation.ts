/**
 * The declaration of an operation. One object gives the checks of the request, the shape of the reply, who may call, and the entry in the
 * OpenAPI document. The server does not start with a route that has no declaration.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { TObject, TSchema } from 'typebox'
import type { Scope } from '../../domain/access.js'
import type { ErrorCode } from '../../domain/errors.js'
import { MAX_IDEMPOTENCY_KEY_LENGTH } from '../../domain/idempotency.js'

/**
 * Who may call. A scope: API keys, sessions of the page, and OAuth tokens with this scope. `api_key`: API keys and sessions of the page.
 * `session`: sessions of the page only. `administrator`: an administrator session, or a session of the page whose account is an
 * administrator. `public`: everybody.
 */
export type Caller = Scope | 'api_key' | 'session' | 'administrator' | 'public'

/** Sections of the OpenAPI document. */
export const TAGS = {
  Sources: 'Recordings from URLs: files, video pages, podcast feeds, HLS and DASH manifests.',
  Uploads: 'Uploads in parts, resumable after a crash of the client or the server.',
  Jobs: 'Job status and retry.',
  Transcriptions: 'The library: list, read, export and delete transcriptions.',
  Events: 'What changes in the library, while a page is open.',
  Edits: 'What people change in transcripts: text with its times, find and replace, revisions, undo.',
  Sharing: 'Links with which anybody can read one transcription until they expire. Off unless STENOBOX_SHARING is set.',
  Library: 'Search of all transcriptions by meaning and by words.',
  Artifacts: 'Summaries, chapters, quotes, show notes, threads and blog posts, made from completed transcriptions.',
  Vocabulary: 'Names and terms that the transcripts of an owner should spell correctly.',
  Webhooks: 'Signed requests to your server when a job ends.',
  Usage: 'Requests and minutes used and left.',
  Retention: 'How long recordings and transcripts are retained.',
  OAuth: 'Metadata for agents that act for an owner: which authorization server issues tokens.',
  Accounts: 'First start, sign-in, and what people manage on the page: API keys and connected programs. ' +
    'Needs a session; API keys and tokens are not accepted.',
  Administration: 'Owners, API keys and plans. Needs an administrator session (only if STENOBOX_ADMIN_PASSWORD is set) or ' +
    'the session of an account that is an administrator; API keys and tokens are not accepted.',
  Health: 'Health checks for load balancers and containers.'
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
  /** Successful JSON replies by status. Each schema has a description and an example. */
  replies: Readonly<Record<number, TSchema>>
  /** Successful replies that are files, by content type. Each schema has an example. */
  files?: Readonly<Record<string, TSchema>>
  /** Files are also sent in parts, and not at all to a client that has them. */
  hasParts?: true
  /** The body is a stream of bytes of any content type. */
  takesBytes?: true
  /** Answered even if the daily requests are used up. */
  isAlwaysAnswered?: true
  /** Accepts an Idempotency-Key: the same request with the same key is carried out once. */
  idempotent?: true
  /** Error codes in addition to those that `errorsOf` adds to every operation of this kind. */
  errors?: readonly ErrorCode[]
  /** ISO 8601 days: deprecated since, and removed on. */
  deprecated?: { since: string, sunset: string }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: Operation
  }
}

export const IDEMPOTENCY_KEY = 'Idempotency-Key'
/** Set on replies that repeat an earlier one. */
export const IDEMPOTENCY_REPLAYED = 'Idempotency-Replayed'

const IdempotencyHeaders = {
  [IDEMPOTENCY_KEY]: Type.Optional(Type.String({
    minLength: 1,
    maxLength: MAX_IDEMPOTENCY_KEY_LENGTH,
    pattern: '^[\\x21-\\x7e]+$',
    description: 'A random text such as a UUID. The same request with the same key within 24 hours gets the same reply ' +
      'and is not carried out again. Errors are not stored: the same request can be sent again. At most the latest 2000 replies are stored.'
  }))
}

/** The schema of all headers of an operation. */
export function headersOf ({ headers, idempotent }: Operation): TObject | undefined {
  return idempotent ? Type.Object({ ...headers?.properties, ...IdempotencyHeaders }) : headers
}

/** Node lower-cases header names. Fastify does not do that to the names in a schema if the validator is not its own. */
function lowerCaseNames (headers: TObject | undefined): TObject | undefined {
  if (!headers) return undefined
  return Type.Object(Object.fromEntries(Object.entries(headers.properties).map(([name, schema]) => [name.toLowerCase(), schema])))
}

type RequestSchemas<O extends Operation> = { [K in keyof O & ('params' | 'querystring' | 'headers' | 'body')]: O[K] }

type RouteOptions<O extends Operation> = { schema: RequestSchemas<O> & { response: O['replies'] }, config: { operation: Operation } }

/** Route options of an operation, typed by its schemas. */
export function operation<const O extends Operation> (spec: O): RouteOptions<O> {
  const { params, querystring, body, replies } = spec
  const schemas = Object.entries({ params, querystring, headers: lowerCaseNames(headersOf(spec)), body })
  const request = Object.fromEntries(schemas.filter(([, schema]) => schema !== undefined)) as RequestSchemas<O>
  return { schema: { ...request, response: replies }, config: { operation: spec } }
}

/** True if requests belong to an owner and are counted. */
const isMetered = ({ caller }: Operation): boolean => caller === 'api_key' || caller.includes(':')

const COMMON_ERRORS = [
  'invalid_request', 'request_timeout', 'expectation_failed', 'headers_too_large', 'internal_error', 'unavailable'
] as const
const BODY_ERRORS = ['payload_too_large', 'unsupported_media_type', 'insufficient_storage'] as const

/** All error codes of an operation: those of its kind and those that it declares. */
export function errorsOf (spec: Operation, method: string): ErrorCode[] {
  const codes = new Set<ErrorCode>(COMMON_ERRORS)
  if (spec.caller !== 'public') codes.add('unauthorized')
  if (spec.caller === 'api_key') codes.add('api_key_required')
  if (spec.caller === 'session') codes.add('session_required')
  if (spec.caller === 'administrator') codes.add('administration_off').add('administrator_required')
  // With the cookie of a session.
  if (spec.caller !== 'public' || method !== 'GET') codes.add('cross_site_request')
  if (spec.caller.includes(':')) codes.add('insufficient_scope')
  if (isMetered(spec) && !spec.isAlwaysAnswered) codes.add('quota_exceeded')
  if (method !== 'GET') for (const code of BODY_ERRORS) codes.add(code)
  // The framework answers 404 to a parameter that is too long.
  if (spec.params) codes.add('not_found')
  if (spec.idempotent) codes.add('idempotency_in_flight').add('idempotency_mismatch')
  for (const code of spec.errors ?? []) codes.add(code)
  return [...codes]
}

/** Many clients set a content type on every request. Ignore it if the request has no body and the operation takes none. */
function ignoreTypeOfEmptyBody ({ headers, routeOptions }: FastifyRequest): void {
  const { body, takesBytes } = routeOptions.config.operation ?? {}
  const isEmpty = headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0
  if (isEmpty && !body && !takesBytes) delete headers['content-type']
}

/** Midnight UTC of a day, in seconds. */
const epochSeconds = (day: string): number => Date.parse(day) / 1000

/**
 * Refuses routes without a declaration. Replies to a credential may not be stored by proxies, errors included: one that ignores
 * Authorization would hand them to others. Replies of deprecated operations have the headers of RFC 9745 and RFC 8594. Call it before
 * routes are registered.
 */
export function requireOperations (app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url, config }) => {
    if (!config?.operation) throw new Error(`${[method].flat().join(', ')} ${url} is not declared as an operation`)
  })
  app.addHook('onRequest', async (request, reply) => {
    ignoreTypeOfEmptyBody(request)
    const { deprecated, caller } = request.routeOptions.config.operation ?? {}
    if (caller !== 'public') reply.header('cache-control', 'no-store')
    // A browser that shows a file must not take it for a page.
    reply.header('x-content-type-options', 'nosniff')
    if (!deprecated) return
    reply.header('deprecation', `@${epochSeconds(deprecated.since)}`).header('sunset', new Date(deprecated.sunset).toUTCString())
  })
}
