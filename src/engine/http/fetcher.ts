/** HTTP to the world outside: every hop to a checked address, with limits on time and size. */
import { pipeline } from 'node:stream'
import type { Duplex, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { request } from 'undici'
import type { Agent } from 'undici'
import type { Purpose } from '../../domain/addresses.js'
import { FetchError, createGuard, parseUrl, readUrl, targetOf, toBasicAuth, wrapFetchError } from './guard.js'
import type { GuardDeps } from './guard.js'

/** What is read of a body that nobody wants, to keep the connection; beyond it a new one is cheaper. */
const DISCARD_BYTES = 64 * 1024
const DISCARD_MS = 1000

export type FetchLimits = {
  /** From the sent request to the headers of the answer. */
  firstByteMs: number
  /** Between two pieces of the body. */
  idleMs: number
  /** For everything, redirects and body included. */
  totalMs: number
  /** Of the body, after decoding. */
  maxBytes: number
}
const LIMITS: FetchLimits = { firstByteMs: 30_000, idleMs: 30_000, totalMs: 60_000, maxBytes: 1024 ** 2 }

export type FetchRequest = {
  purpose: Purpose
  /** Name and password in it become Basic authorization for its own origin. */
  url: string
  method?: 'GET' | 'HEAD' | 'POST'
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** Without it, a redirect is the answer. */
  maxRedirects?: number
  /** Asks for and undoes gzip, deflate and br; without it the bytes are those of the server. */
  decode?: boolean
  limits?: Partial<FetchLimits>
  signal?: AbortSignal | undefined
}

export type FetchAnswer = {
  status: number
  /** Lower-case names; of several values the first. */
  headers: Readonly<Record<string, string | undefined>>
  /** Where the answer came from in the end, without name and password. Path and query are secrets: not for logs. */
  url: string
  /** To be read once, or discarded. Throws `FetchError` while it is read. */
  body: AsyncIterable<Buffer>
  /** Lets go of a body that is not wanted, however long it is. Settles within a second, and never rejects. */
  discard (): Promise<void>
}

type Hop = { url: URL, method: string, headers: Record<string, string>, body: string | Uint8Array | undefined }
type Raw = Awaited<ReturnType<typeof request>>

const DECODERS: Readonly<Record<string, () => Duplex>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress()
}

/** What may go to another origin; anything else may be a credential. */
const CARRIED = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'if-range', 'range', 'user-agent'])

const flatten = (headers: Raw['headers']): FetchAnswer['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]))

const lowerNames = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

/** The next hop. Throws `FetchError` with `invalid_redirect`. */
function followTo (location: string, hop: Hop, status: number, purpose: Purpose): Hop {
  const url = readUrl(location, hop.url)
  if (url === undefined || (hop.url.protocol === 'https:' && url.protocol !== 'https:')) throw new FetchError('invalid_redirect', purpose)
  const asGet = status === 303 ? hop.method !== 'HEAD' : status < 303 && hop.method === 'POST'
  const kept = Object.entries(hop.headers).filter(([name]) => (url.origin === hop.url.origin || CARRIED.has(name)) && !(asGet && name === 'content-type'))
  return { url, method: asGet ? 'GET' : hop.method, headers: Object.fromEntries(kept), body: asGet ? undefined : hop.body }
}

async function discard (body: Raw['body']): Promise<void> {
  await body.dump({ limit: DISCARD_BYTES, signal: AbortSignal.timeout(DISCARD_MS) }).catch(() => {})
}

/** Aborts after `totalMs`, and with the caller's signal; `release` ends the watch. */
function watch (totalMs: number, signal: AbortSignal | undefined, purpose: Purpose) {
  const controller = new AbortController()
  // An answer that nobody reads must not hold the process.
  const timer = setTimeout(() => { controller.abort(new FetchError('timeout', purpose)) }, totalMs).unref()
  const onAbort = (): void => { controller.abort(new FetchError('aborted', purpose)) }
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) onAbort()
  return {
    signal: controller.signal,
    release (): void {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  }
}

function decodeBody (raw: Raw): Readable {
  const decoder = DECODERS[flatten(raw.headers)['content-encoding']?.trim().toLowerCase() ?? '']
  return decoder ? pipeline(raw.body, decoder(), () => {}) : raw.body
}

async function * readBody (raw: Raw, { purpose, decode = false }: FetchRequest, maxBytes: number): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0
  try {
    for await (const chunk of (decode ? decodeBody(raw) : raw.body) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw new FetchError('too_large', purpose)
      yield chunk
    }
  } catch (error) {
    throw wrapFetchError(error, purpose)
  }
}

export function createFetcher (deps: GuardDeps) {
  const guard = createGuard(deps)
  const agents = new Map<Purpose, Agent>()

  function agentFor (purpose: Purpose): Agent {
    const agent = agents.get(purpose) ?? guard.createAgent(purpose)
    agents.set(purpose, agent)
    return agent
  }

  async function follow (first: Hop, { purpose, maxRedirects = 0 }: FetchRequest, limits: FetchLimits, signal: AbortSignal): Promise<{ raw: Raw, url: URL }> {
    let hop = first
    for (let redirects = 0; ; redirects++) {
      const raw = await request(new URL(hop.url.origin + hop.url.pathname + hop.url.search), {
        dispatcher: agentFor(purpose),
        method: hop.method,
        headers: hop.headers,
        body: hop.body ?? null,
        headersTimeout: limits.firstByteMs,
        bodyTimeout: limits.idleMs,
        signal
      })
      const { location } = flatten(raw.headers)
      if (maxRedirects === 0 || !isRedirect(raw.statusCode) || location === undefined) return { raw, url: hop.url }
      await discard(raw.body)
      if (redirects === maxRedirects) throw new FetchError('too_many_redirects', purpose)
      hop = followTo(location, hop, raw.statusCode, purpose)
    }
  }

  return {
    /** Throws `FetchError`; so does reading the body. */
    async request (wanted: FetchRequest): Promise<FetchAnswer> {
      const { purpose, method = 'GET', decode = false } = wanted
      const limits = { ...LIMITS, ...wanted.limits }
      const url = parseUrl(wanted.url, purpose)
      const headers = { 'user-agent': 'stenobox', 'accept-encoding': decode ? 'gzip, deflate, br' : 'identity', ...toBasicAuth(url), ...lowerNames(wanted.headers ?? {}) }
      const watched = watch(limits.totalMs, wanted.signal, purpose)
      try {
        const { raw, url: last } = await follow({ url, method, headers, body: wanted.body }, wanted, limits, watched.signal)
        raw.body.once('close', watched.release)
        const answered = flatten(raw.headers)
        if (method !== 'HEAD' && Number(answered['content-length']) > limits.maxBytes) {
          await discard(raw.body)
          throw new FetchError('too_large', purpose)
        }
        last.username = last.password = ''
        return {
          status: raw.statusCode,
          headers: answered,
          url: last.href,
          body: readBody(raw, wanted, limits.maxBytes),
          discard: async () => { await discard(raw.body) }
        }
      } catch (error) {
        watched.release()
        throw wrapFetchError(error, purpose)
      }
    },

    /** Throws the `FetchError` with which a request would fail before it connects. */
    async check (purpose: Purpose, url: string): Promise<void> {
      await guard.resolve(purpose, targetOf(parseUrl(url, purpose)))
    },

    async close (): Promise<void> {
      await Promise.all([...agents.values()].map(async (agent) => { await agent.destroy() }))
    }
  }
}
export type Fetcher = ReturnType<typeof createFetcher>
