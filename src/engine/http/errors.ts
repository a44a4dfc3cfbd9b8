/** Errors of connections, of TLS and of undici as codes of ours. */
import { errors } from 'undici'
import type { Purpose } from '../../domain/addresses.js'
import { FetchError } from '../../domain/fetch-error.js'
import { NO_PLACE } from './names.js'

/** The innermost code of an error, which is the one a person can look up: undici wraps some errors of the system. */
export function codeOf (error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  // Not every violation of HTTP has a code.
  const own = error instanceof errors.HTTPParserError ? error.code ?? 'HPE_INVALID' : 'code' in error ? String(error.code) : undefined
  return codeOf(error.cause) ?? own
}

/** True for codes of a certificate, or of a TLS handshake, that another attempt cannot fix. */
const isTlsCode = (code: string): boolean => /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL|UNABLE_TO_GET_ISSUER/.test(code)

const UNREACHABLE = new Set([
  'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'EADDRNOTAVAIL', 'EACCES',
  'EPERM'
])
const TIMEOUT = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])
const BROKEN_CODES = [
  'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'EPROTO', 'UND_ERR_(?!INVALID).*', 'HPE_.*', 'Z_.*',
  'ERR_BROTLI_.*', 'ERR__ERROR_FORMAT.*'
]
const BROKEN = new RegExp(`^(${BROKEN_CODES.join('|')})$`)

/** The status with which a proxy refused a tunnel. undici tells it in its message only, which names no address. */
function refusalOf (error: unknown): string | undefined {
  if (!(error instanceof errors.RequestAbortedError)) return undefined
  return /\((\d{3})\)/.exec(error.message)?.[1]
}

/** An error of a connection to `host` as a `FetchError`; others as they are. */
export function wrapFetchError (error: unknown, purpose: Purpose, host?: string): unknown {
  const code = codeOf(error)
  if (error instanceof FetchError || code === undefined) return error
  const refusal = refusalOf(error)
  if (refusal !== undefined) return new FetchError('refused_by_proxy', purpose, refusal, host)
  if (code === NO_PLACE) return new FetchError('busy', purpose)
  if (UNREACHABLE.has(code)) return new FetchError('unreachable', purpose, code, host)
  if (TIMEOUT.has(code)) return new FetchError('timeout', purpose, code, host)
  if (isTlsCode(code)) return new FetchError('tls', purpose, code, host)
  return BROKEN.test(code) ? new FetchError('broken', purpose, code, host) : error
}

/** An error of a request as a `FetchError`, whatever it is: a caller that repeats failures must never see one that it does not know. */
export function toFetchError (error: unknown, purpose: Purpose): FetchError {
  const wrapped = wrapFetchError(error, purpose)
  if (wrapped instanceof FetchError) return wrapped
  return new FetchError('failed', purpose, codeOf(error) ?? (error instanceof Error ? error.name : undefined))
}
