/** What every way out of the appliance shares: addresses are checked before a connection, and errors tell none. */
import { lookup as lookupAddresses } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { LookupFunction, Socket } from 'node:net'
import { Agent, buildConnector, errors } from 'undici'
import { mayReach } from '../../domain/addresses.js'
import type { AllowLists, Purpose, Target } from '../../domain/addresses.js'

const CONNECT_MS = 10_000

const SENTENCES = {
  blocked: 'The address, or its port, is not open to this appliance: it is not on the public internet. The administrator can allow it in SETTING.',
  offline: 'This appliance is set to stay offline. The administrator can change that with STENOBOX_OFFLINE.',
  invalid_url: 'This is not a complete http or https address. Check it for missing or wrong characters.',
  unreachable: 'The server cannot be reached. Check the address, and that the server is running.',
  tls: 'The server shows a certificate that is not trusted here. Renew it, or let the administrator name its authority in NODE_EXTRA_CA_CERTS.',
  timeout: 'The server took too long. Try again later.',
  too_large: 'The server sends more than is accepted here.',
  too_many_redirects: 'The address redirects too often. Use the address it should lead to.',
  invalid_redirect: 'The address redirects to something that is no http or https address, or from https to http. Use the address it should lead to.',
  broken: 'The connection broke, or the server does not speak proper HTTP. Try again later.',
  aborted: 'The transfer was stopped.'
}
export type FetchErrorCode = keyof typeof SENTENCES

const SETTINGS: Readonly<Record<Purpose, string>> = {
  sources: 'STENOBOX_ALLOW_SOURCES',
  webhooks: 'STENOBOX_ALLOW_WEBHOOKS',
  oauth: 'STENOBOX_ALLOW_OAUTH'
}

/** Something outside that could not be had. The message is for people and holds no part of any address. */
export class FetchError extends Error {
  override readonly name = 'FetchError'
  readonly code: FetchErrorCode
  readonly purpose: Purpose
  /** Code of the system or of TLS, such as ECONNREFUSED: for the log. */
  readonly detail: string | undefined

  constructor (code: FetchErrorCode, purpose: Purpose, detail?: string) {
    // No cause: those of the system name addresses.
    super(SENTENCES[code].replace('SETTING', SETTINGS[purpose]))
    this.code = code
    this.purpose = purpose
    this.detail = detail
  }
}

/** The innermost code of an error, which is the one a person can look up: undici wraps some of the system. */
export function codeOf (error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  // Not every breach of HTTP has a code.
  const own = error instanceof errors.HTTPParserError ? error.code ?? 'HPE_INVALID' : 'code' in error ? String(error.code) : undefined
  return codeOf(error.cause) ?? own
}

/** True for codes of a certificate, or of an agreement on TLS, that another try cannot mend. */
export const isTlsCode = (code: string): boolean => /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ERR_TLS|ERR_SSL|UNABLE_TO_GET_ISSUER/.test(code)

/** Name and password of an address as a header. */
export function toBasicAuth (url: URL): { authorization?: string } {
  if (url.username === '' && url.password === '') return {}
  const decode = (text: string): string => { try { return decodeURIComponent(text) } catch { return text } }
  return { authorization: `Basic ${Buffer.from(`${decode(url.username)}:${decode(url.password)}`).toString('base64')}` }
}

const UNREACHABLE = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'EADDRNOTAVAIL', 'EACCES', 'EPERM'])
const TIMEOUT = new Set(['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'])
const BROKEN = /^(ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM_PREMATURE_CLOSE|EPROTO|UND_ERR_(?!INVALID).*|HPE_.*|Z_.*|ERR_BROTLI_.*|ERR__ERROR_FORMAT.*)$/

/** An error of a connection as a `FetchError`; others as they are. */
export function wrapFetchError (error: unknown, purpose: Purpose): unknown {
  const code = codeOf(error)
  if (error instanceof FetchError || code === undefined) return error
  if (UNREACHABLE.has(code)) return new FetchError('unreachable', purpose, code)
  if (TIMEOUT.has(code)) return new FetchError('timeout', purpose, code)
  if (isTlsCode(code)) return new FetchError('tls', purpose, code)
  return BROKEN.test(code) ? new FetchError('broken', purpose, code) : error
}

export type ResolvedAddress = { address: string, family: number }
/** All addresses of a name. */
export type Lookup = (host: string) => Promise<ResolvedAddress[]>

export type GuardDeps = {
  allow: AllowLists
  offline: boolean
  lookup?: Lookup
  /** For finding the address, and again for the connection with TLS. */
  connectMs?: number
}

/** A lookup that knows nothing but addresses which were checked, so that the name is not asked a second time. */
function pinTo (addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    if (options.all) callback(null, [...addresses])
    else callback(null, addresses[0]?.address ?? '', addresses[0]?.family)
  }
}

/** An http or https address, or undefined. */
export function readUrl (text: string, base?: URL): URL | undefined {
  // Parsers drop line breaks and turn backslashes without a word; what was meant is then anyone's guess.
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f\\]/.test(text) || !URL.canParse(text, base?.href)) return undefined
  const url = new URL(text, base)
  return /^https?:$/.test(url.protocol) && url.port !== '0' ? url : undefined
}

/** Throws `FetchError` with `invalid_url` for anything but http and https. */
export function parseUrl (text: string, purpose: Purpose): URL {
  const url = readUrl(text)
  if (url === undefined) throw new FetchError('invalid_url', purpose)
  return url
}

export const targetOf = (url: URL): Target => ({ host: url.hostname, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80) })

async function within<T> (ms: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_resolve, reject) => { timer = setTimeout(() => { reject(late()) }, ms) })
  return await Promise.race([work, timeout]).finally(() => { clearTimeout(timer) })
}

export function createGuard ({ allow, offline, lookup = async (host) => await lookupAddresses(host, { all: true, order: 'verbatim' }), connectMs = CONNECT_MS }: GuardDeps) {
  /** Every address of a target, when it may be reached at each. Throws `FetchError`. */
  async function resolve (purpose: Purpose, target: Target): Promise<ResolvedAddress[]> {
    if (offline) throw new FetchError('offline', purpose)
    const host = target.host.replace(/^\[|\]$/g, '')
    const family = isIP(host)
    const addresses = family > 0
      ? [{ address: host, family }]
      : await within(connectMs, lookup(host), () => new FetchError('timeout', purpose)).catch((error: unknown) => { throw wrapFetchError(error, purpose) })
    if (addresses.length === 0) throw new FetchError('unreachable', purpose)
    // One bad address among good ones is a trick, or a mistake that would show only now and then.
    if (!addresses.every(({ address }) => mayReach(allow[purpose], { host, port: target.port }, address))) throw new FetchError('blocked', purpose)
    return addresses
  }

  /** Connects for undici. An own connector, because undici's option `lookup` is never asked about hosts that are addresses. */
  function createConnector (purpose: Purpose): buildConnector.connector {
    return (options, callback) => {
      const port = Number(options.port) || (options.protocol === 'https:' ? 443 : 80)
      resolve(purpose, { host: options.hostname, port }).then((addresses) => {
        buildConnector({ allowH2: false, maxCachedSessions: 0, timeout: connectMs, lookup: pinTo(addresses) })(options, callback)
      }).catch((error: unknown) => { callback(error as Error, null) })
    }
  }

  return {
    resolve,
    createAgent: (purpose: Purpose): Agent => new Agent({ connect: createConnector(purpose), allowH2: false }),
    /** A bare connection. Throws `FetchError`. */
    async connect (purpose: Purpose, { host, port }: Target): Promise<Socket> {
      const hostname = host.replace(/^\[|\]$/g, '')
      return await new Promise((resolve, reject) => {
        createConnector(purpose)({ protocol: 'http:', hostname, port: String(port) }, (error, socket) => {
          if (error) reject(wrapFetchError(error, purpose))
          else resolve(socket)
        })
      })
    }
  }
}
export type Guard = ReturnType<typeof createGuard>
