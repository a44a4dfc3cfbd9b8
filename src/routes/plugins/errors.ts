/** Every error as an envelope: ours, the framework's, and those of routes that do not exist. */
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type {
  ConnectionError, FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchemaValidationError
} from 'fastify'
import { AppError, isBusy, isNoRoom } from '../../domain/errors.js'
import type { ErrorCode } from '../../domain/errors.js'
import { ERRORS } from '../contract/error-table.js'
import type { Page } from './page.js'
import { wantsProblem } from './problem.js'

type Socket = IncomingMessage['socket']

/** Errors of the framework before a handler runs, with our codes and messages. */
const FRAMEWORK: Readonly<Record<string, [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'The body is larger than this operation accepts.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['unsupported_media_type', 'This operation does not accept the content type of the body.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_request', 'The body is empty; this operation needs a JSON object.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_request', 'The body is not valid JSON.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'The length of the body is not its Content-Length.'],
  FST_ERR_BAD_URL: ['invalid_request', 'The address is not a valid URL.'],
  FST_ERR_MAX_PARAM_LENGTH: ['not_found', 'There is nothing at this address.']
}

/** Codes for errors of framework plugins that have only a status. Any other status from 400 to 499 is `invalid_request`. */
const FOREIGN: readonly ErrorCode[] = [
  'not_found', 'request_timeout', 'payload_too_large', 'unsupported_media_type', 'expectation_failed', 'headers_too_large'
]

const SERVER_FAULT = 'Something went wrong on our side. Try again. ' +
  'If it happens again, the administrator finds the details in the log under this requestId.'

const BUSY = 'Another program is using the database of the appliance. Try again in a few seconds.'
const NO_ROOM = 'The disk of the appliance is full. Free some space and try again.'

/** Where a fault is: the path of the field. */
function placeOf ({ instancePath, params }: FastifySchemaValidationError): string[] {
  const extra = params['additionalProperty'] ?? params['missingProperty'] ?? params['requiredProperties']
  return [...instancePath.split('/').slice(1), ...extra === undefined ? [] : [String(extra)]]
}

/** What is wrong with a field. A field of several types has a fault for each type; the sentence names all types. */
function toRule (fault: FastifySchemaValidationError | undefined, faults: readonly FastifySchemaValidationError[]): string {
  const types = faults.filter(({ instancePath, keyword }) => keyword === 'type' && instancePath === fault?.instancePath)
  if (fault?.keyword !== 'type' || types.length < 2) return fault?.message ?? 'not valid'
  return `must be ${[...new Set(types.map(({ params }) => String(params['type'])))].join(' or ')}`
}

/** The fault that says most. Where a field may have several forms, there is one for each form, and the deepest is of the form meant. */
function fromValidation (error: FastifyError): AppError {
  const [fault] = (error.validation ?? []).toSorted((a, b) => placeOf(b).length - placeOf(a).length)
  const name = (fault && placeOf(fault).join('.')) || error.validationContext || 'request'
  const allowed = fault?.params['allowedValues']
  const rule = Array.isArray(allowed) ? `must be one of ${allowed.join(', ')}` : toRule(fault, error.validation ?? [])
  return new AppError('invalid_request', `${name}: ${rule}`)
}

function toAppError (error: FastifyError | AppError): AppError {
  if (error instanceof AppError) return error
  if (error.validation) return fromValidation(error)
  const known = FRAMEWORK[error.code]
  if (known) return new AppError(...known, { cause: error })
  if (error instanceof SyntaxError) return new AppError('invalid_request', 'The body is not valid JSON.', { cause: error })
  if (isBusy(error)) return new AppError('unavailable', BUSY, { cause: error, headers: { 'retry-after': '5' } })
  if (isNoRoom(error)) return new AppError('insufficient_storage', NO_ROOM, { cause: error })
  const status = error.statusCode ?? 500
  if (status < 400 || status >= 500) return new AppError('internal_error', SERVER_FAULT, { cause: error })
  const code = FOREIGN.find((candidate) => ERRORS[candidate].status === status) ?? 'invalid_request'
  return new AppError(code, `${STATUS_CODES[status] ?? 'Bad request'}.`, { cause: error })
}

function errorBody (code: ErrorCode, message: string, requestId: string) {
  return { success: false, error: message, code, requestId }
}

/** Answers with the envelope and the status and headers of the error. Logs our own failures, once. */
export function sendError (error: FastifyError | AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code, message, headers, details, cause } = toAppError(error)
  const { status } = ERRORS[code]
  // Transient: polls of /readyz, or tokens while their issuer is down, would hide errors that need a person.
  if (error instanceof AppError && code === 'unavailable') request.log.warn({ code, reason: message }, 'request refused for now')
  // A failing receiver is not our failure, and the reply tells the caller, who asked for the request.
  else if (status >= 500 && code !== 'receiver_failed') request.log.error({ err: cause ?? error, code }, 'request failed')
  // Messages of internal errors are for the log; other codes from 500 upward have messages that callers can act on.
  const sentence = status >= 500 && code === 'internal_error' ? SERVER_FAULT : message
  const body = { ...errorBody(code, sentence, request.id), ...details }
  // A proxy may store a 404 for as long as it likes unless it is told not to.
  reply.code(status).header('cache-control', 'no-store').headers(headers)
  if (!wantsProblem(request.headers.accept)) return reply.type('application/json; charset=utf-8').send(body)
  const problem = { type: 'about:blank', title: STATUS_CODES[status], status, detail: sentence, ...body }
  return reply.type('application/problem+json').send(problem)
}

const pathOf = (url: string): string => url.split('?')[0] ?? ''

/** Methods of the registered routes by path, to distinguish 405 from 404. */
function createMethods () {
  const patterns: Array<{ segments: string[], methods: string[] }> = []
  /** Paths without a parameter. */
  const written = new Set<string>()
  const fixedSegments = (pattern: { segments: string[] }): number => pattern.segments.filter((segment) => !segment.startsWith(':')).length
  return {
    add (url: string, methods: string[]): void {
      patterns.push({ segments: url.split('/'), methods })
      if (!/[:*]/.test(url)) written.add(url)
    },
    /** True for paths that are written out, such as uploads/init: no path with a parameter in that place means them. */
    isWritten: (path: string): boolean => written.has(path),
    of (path: string): string[] {
      const segments = path.split('/')
      const matching = patterns.filter((pattern) => pattern.segments.length === segments.length &&
        pattern.segments.every((segment, index) => segment === segments[index] || (segment.startsWith(':') && segments[index] !== '')))
      const most = Math.max(...matching.map(fixedSegments))
      const best = matching.filter((pattern) => fixedSegments(pattern) === most)
      return [...new Set(best.flatMap((pattern) => pattern.methods))].sort()
    }
  }
}
type Methods = ReturnType<typeof createMethods>

const nothingHere = (): AppError => new AppError('not_found', 'There is nothing at this address.')
const methodNotAllowed = (method: string, allowed: readonly string[]): AppError =>
  new AppError('method_not_allowed', `${method} is not possible here, only ${allowed.join(' and ')}.`, {
    headers: { allow: allowed.join(', ') }
  })

/** Requests that Node itself would answer with an empty body. */
function answerForNode (app: FastifyInstance): void {
  app.server.on('checkExpectation', (_request, response) => {
    const body = JSON.stringify(errorBody('expectation_failed', 'Only "Expect: 100-continue" is understood.', randomUUID()))
    const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) }
    response.writeHead(ERRORS.expectation_failed.status, headers).end(body)
  })
  app.addHook('onRequest', async (request) => {
    if (request.raw.httpVersion !== '1.1' || request.headers.host !== undefined) return
    throw new AppError('invalid_request', 'The Host header is missing.')
  })
}

/** Answers about paths and methods that do not exist. A path that is written out wins over one with a parameter, for every method. */
function answerForRoutes (app: FastifyInstance, methods: Methods, page: Page | undefined): void {
  app.addHook('onRoute', ({ url, method }) => { methods.add(url, [method].flat()) })
  // Before the framework reads the body: whether it could be read does not matter then.
  app.addHook('onRequest', async (request) => {
    const { is404, method, url, routeOptions } = request
    const path = pathOf(url)
    const isWrong = is404 || (routeOptions.url?.includes(':') === true && methods.isWritten(path))
    const allowed = isWrong ? methods.of(path) : []
    if (allowed.length > 0) throw methodNotAllowed(method, allowed)
    if (is404 && !page?.isAddress(request)) throw nothingHere()
  })
  // For the page, and for plugins that have looked for a file.
  app.setNotFoundHandler(async (request, reply) => {
    const answer = page?.isAddress(request) ? await page.answer(request) : undefined
    if (!answer) return sendError(nothingHere(), request, reply)
    return reply.code(answer.status).headers(answer.headers).send(answer.body)
  })
}

const RAW_ERRORS: Readonly<Record<string, [ErrorCode, string]>> = {
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request took too long to arrive.']
}

/** A request line with any method. */
const REQUEST_LINE = /^([!#$%&'*+.^_`|~\w-]{1,64}) (\/\S*) HTTP\/1\.[01]\r\n/

/** Node's parser knows a list of methods and refuses all others before there is a request: only the bytes have the path. */
function findUnknownMethod ({ code, rawPacket }: ConnectionError, methods: Methods): AppError | undefined {
  // A buffer, whatever Fastify's types say; absent for errors that are not of the parser.
  const bytes: unknown = rawPacket
  if (code !== 'HPE_INVALID_METHOD' || !Buffer.isBuffer(bytes)) return undefined
  const [, method = '', url = ''] = REQUEST_LINE.exec(bytes.toString('latin1')) ?? []
  const allowed = methods.of(pathOf(url))
  return allowed.length > 0 ? methodNotAllowed(method, allowed) : undefined
}

/** The answer to bytes that are not HTTP, written to the socket because there is no request. */
function rawErrorResponse (error: ConnectionError, methods: Methods): string {
  const [errorCode, sentence] = RAW_ERRORS[error.code ?? ''] ?? (['invalid_request', 'The request is not valid HTTP.'] as const)
  const { code, message, headers } = findUnknownMethod(error, methods) ?? new AppError(errorCode, sentence)
  const { status } = ERRORS[code]
  const body = JSON.stringify(errorBody(code, message, randomUUID()))
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
    '',
    body
  ].join('\r\n')
}

export function createErrors () {
  const methods = createMethods()
  return {
    /** Answers a connection whose bytes are not a request. For the server's option `clientErrorHandler`. */
    answerClientError (error: ConnectionError, socket: Socket): void {
      if (socket.writable) socket.end(rawErrorResponse(error, methods))
      else socket.destroy()
    },
    /**
     * Call it before routes are registered, because it collects them. The server must not answer missing Host headers itself. `page`: what
     * answers addresses that no route has.
     */
    install (app: FastifyInstance, page?: Page): void {
      answerForNode(app)
      app.setErrorHandler<FastifyError | AppError>(sendError)
      answerForRoutes(app, methods, page)
    }
  }
}
