/** Requests to other machines: every redirect goes to a checked address, with limits on time and size. */
import { pipeline } from 'node:stream'
import type { Duplex, Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { EnvHttpProxyAgent, request } from 'undici'
import type { Dispatcher } from 'undici'
import type { Purpose } from '../../domain/addresses.js'
import { FetchError } from '../../domain/fetch-error.js'
import { mayRedirect } from '../../domain/model-source.js'
import { toFetchError, wrapFetchError } from './errors.js'
import { createGuard, parseUrl, readUrl, targetOf, toBasicAuth } from './guard.js'
import type { Guard, GuardDeps } from './guard.js'
import { withShare } from './names.js'

/** Up to this many bytes of an unwanted body are read, so that the connection can be reused. For more, a new connection is cheaper. */
const DISCARD_BYTES = 64 * 1024
const DISCARD_MS = 1000

export type FetchLimits = {
  /** From the sent request to the headers of the answer. */
  firstByteMs: number
  /** From the call to the headers of the last answer, with names, connections and redirects. */
  answerMs: number
  /** Between two pieces of the body. */
  idleMs: number
  /** For everything, redirects and body included. */
  totalMs: number
  /** How long each lookup may wait for a place before it fails with `busy`. None of the other limits includes this time. */
  placeMs: number
  /** Of the body, after decoding. */
  maxBytes: number
}
const LIMITS: FetchLimits = {
  firstByteMs: 30_000, answerMs: Infinity, idleMs: 30_000, totalMs: 60_000, placeMs: Infinity, maxBytes: 1024 ** 2
}

export type FetchRequest = {
  purpose: Purpose
  /** Name and password in it become Basic authorization for its own origin. */
  url: string
  method?: 'GET' | 'HEAD' | 'POST'
  headers?: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** Without it, a redirect is the answer. */
  maxRedirects?: number
  /** True for a redirect whose headers say enough: it is the answer then, and is not followed. */
  isAnswer?: (headers: FetchAnswer['headers']) => boolean
  /** Asks for gzip, deflate and br, and unpacks them; without it the bytes are those of the server. */
  decode?: boolean
  limits?: Partial<FetchLimits>
  signal?: AbortSignal | undefined
  /** Who the request is made for, such as an owner: each has a share of the lookups. By default, the purpose. */
  share?: string | undefined
}

export type FetchAnswer = {
  status: number
  /** Lower-case names; of several values the first. */
  headers: Readonly<Record<string, string | undefined>>
  /** Where the answer came from after all redirects, without name and password. Path and query are secrets: not for logs. */
  url: string
  /** Can be read once, or discarded. Throws `FetchError` while it is read. */
  body: AsyncIterable<Buffer>
  /** Drops a body that is not wanted, however long it is. Settles within a second, and never rejects. */
  discard (): Promise<void>
}

/** HTTP proxies for the purpose `models`. `except`: hosts asked directly, as in NO_PROXY. */
export type Proxy = { http?: string | undefined, https?: string | undefined, except: string }

type Hop = { url: URL, method: string, headers: Record<string, string>, body: string | Uint8Array | undefined }
type Raw = Awaited<ReturnType<typeof request>>

const DECODERS: Readonly<Record<string, () => Duplex>> = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress()
}

/** Headers that may go to another origin; any other may be a credential. */
const CARRIED = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'if-range', 'range', 'user-agent'])

const flatten = (headers: Raw['headers']): FetchAnswer['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]))

const lowerNames = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const isRedirect = (status: number): boolean => [301, 302, 303, 307, 308].includes(status)

/** The next hop. Throws `FetchError` with `invalid_redirect`. */
function followTo (location: string, hop: Hop, status: number, purpose: Purpose): Hop {
  const url = readUrl(location, hop.url)
  if (url === undefined || !mayRedirect(hop.url, url)) throw new FetchError('invalid_redirect', purpose, undefined, hop.url.host)
  const asGet = status === 303 ? hop.method !== 'HEAD' : status < 303 && hop.method === 'POST'
  const mayCarry = (name: string): boolean => (url.origin === hop.url.origin || CARRIED.has(name)) && !(asGet && name === 'content-type')
  const headers = Object.fromEntries(Object.entries(hop.headers).filter(([name]) => mayCarry(name)))
  return { url, method: asGet ? 'GET' : hop.method, headers, body: asGet ? undefined : hop.body }
}

async function discard (body: Raw['body']): Promise<void> {
  await body.dump({ limit: DISCARD_BYTES, signal: AbortSignal.timeout(DISCARD_MS) }).catch(() => {})
}

/** Calls `onEnd` when `ms` have passed, not counting pauses. The timer does not keep the process alive. */
function startTimer (ms: number, onEnd: (ms: number) => void): { pause (): void, resume (): void } {
  let leftMs = ms
  let sinceMs = 0
  let timer: NodeJS.Timeout | undefined
  const resume = (): void => {
    sinceMs = performance.now()
    timer ??= setTimeout(() => { onEnd(ms) }, leftMs).unref()
  }
  const pause = (): void => {
    if (timer) leftMs -= performance.now() - sinceMs
    clearTimeout(timer)
    timer = undefined
  }
  if (ms === Infinity) return { pause () {}, resume () {} }
  resume()
  return { pause, resume }
}

/** Aborts when a limit has passed, and with the caller's signal; `release` ends the watch. */
function watch ({ totalMs, answerMs }: FetchLimits, signal: AbortSignal | undefined, purpose: Purpose) {
  const controller = new AbortController()
  const onAbort = (): void => { controller.abort(new FetchError('aborted', purpose)) }
  const onLate = (ms: number): void => { controller.abort(new FetchError('timeout', purpose, `within ${ms / 1000} s`)) }
  const [total, answer] = [startTimer(totalMs, onLate), startTimer(answerMs, onLate)]
  let isOver = false
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) onAbort()
  return {
    signal: controller.signal,
    /** Time during which a lookup waits for others does not count. */
    onWait (isWaiting: boolean): void {
      if (!isOver) for (const timer of [total, answer]) timer[isWaiting ? 'pause' : 'resume']()
    },
    onAnswer (): void { answer.pause() },
    release (): void {
      isOver = true
      total.pause()
      answer.pause()
      signal?.removeEventListener('abort', onAbort)
    }
  }
}

/** Throws `FetchError` with `invalid_proxy`. */
function createProxyAgent (guard: Guard, purpose: Purpose, { http = '', https = '', except }: Proxy): Dispatcher {
  try {
    // Empty texts, not absent ones: undici would look up absent ones in the environment. `connect` is for hosts asked directly.
    return new EnvHttpProxyAgent({ httpProxy: http, httpsProxy: https, noProxy: except, connect: guard.createConnector(purpose) })
  } catch {
    throw new FetchError('invalid_proxy', purpose)
  }
}

function decodeBody (raw: Raw): Readable {
  const decoder = DECODERS[flatten(raw.headers)['content-encoding']?.trim().toLowerCase() ?? '']
  return decoder ? pipeline(raw.body, decoder(), () => {}) : raw.body
}

async function * readBody (
  raw: Raw, host: string, { purpose, decode = false }: FetchRequest, maxBytes: number
): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0
  try {
    for await (const chunk of (decode ? decodeBody(raw) : raw.body) as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) throw new FetchError('too_large', purpose, undefined, host)
      yield chunk
    }
  } catch (error) {
    throw wrapFetchError(error, purpose, host)
  }
}

/** `proxy` is used for models only: recordings and receivers are reached directly, so that their addresses can be checked. */
export function createFetcher ({ proxy, ...deps }: GuardDeps & { proxy?: Proxy }) {
  const guard = createGuard(deps)
  const agents = new Map<Purpose, Dispatcher>()

  function agentFor (purpose: Purpose): Dispatcher {
    const known = agents.get(purpose)
    if (known) return known
    const agent = purpose === 'models' && (proxy?.http ?? proxy?.https) !== undefined && proxy
      ? createProxyAgent(guard, purpose, proxy)
      : guard.createAgent(purpose)
    agents.set(purpose, agent)
    return agent
  }

  async function send ({ url, method, headers, body }: Hop, purpose: Purpose, limits: FetchLimits, signal: AbortSignal): Promise<Raw> {
    const dispatcher = agentFor(purpose)
    try {
      return await request(new URL(url.origin + url.pathname + url.search), {
        dispatcher, method, headers, body: body ?? null, headersTimeout: limits.firstByteMs, bodyTimeout: limits.idleMs, signal
      })
    } catch (error) {
      throw wrapFetchError(error, purpose, url.host)
    }
  }

  async function follow (first: Hop, wanted: FetchRequest, limits: FetchLimits, signal: AbortSignal): Promise<{ raw: Raw, url: URL }> {
    const { purpose, maxRedirects = 0, isAnswer = () => false } = wanted
    let hop = first
    for (let redirects = 0; ; redirects++) {
      const raw = await send(hop, purpose, limits, signal)
      const headers = flatten(raw.headers)
      const { location } = headers
      if (maxRedirects === 0 || !isRedirect(raw.statusCode) || location === undefined || isAnswer(headers)) return { raw, url: hop.url }
      await discard(raw.body)
      if (redirects === maxRedirects) throw new FetchError('too_many_redirects', purpose, undefined, first.url.host)
      hop = followTo(location, hop, raw.statusCode, purpose)
    }
  }

  return {
    /** Throws `FetchError`; so does reading the body. */
    async request (wanted: FetchRequest): Promise<FetchAnswer> {
      const { purpose, method = 'GET', decode = false } = wanted
      const limits = { ...LIMITS, ...wanted.limits }
      const url = parseUrl(wanted.url, purpose)
      const encoding = { 'accept-encoding': decode ? 'gzip, deflate, br' : 'identity' }
      const headers = { 'user-agent': 'stenobox', ...encoding, ...toBasicAuth(url), ...lowerNames(wanted.headers ?? {}) }
      const watched = watch(limits, wanted.signal, purpose)
      try {
        const first = { url, method, headers, body: wanted.body }
        const waits = { maxWaitMs: limits.placeMs, onWait: watched.onWait }
        const { raw, url: last } = await withShare(
          wanted.share ?? purpose, async () => await follow(first, wanted, limits, watched.signal), waits
        )
        watched.onAnswer()
        raw.body.once('close', watched.release)
        const answered = flatten(raw.headers)
        if (method !== 'HEAD' && Number(answered['content-length']) > limits.maxBytes) {
          await discard(raw.body)
          throw new FetchError('too_large', purpose, undefined, last.host)
        }
        last.username = last.password = ''
        return {
          status: raw.statusCode,
          headers: answered,
          url: last.href,
          body: readBody(raw, last.host, wanted, limits.maxBytes),
          discard: async () => { await discard(raw.body) }
        }
      } catch (error) {
        watched.release()
        throw toFetchError(error, purpose)
      }
    },

    /** Throws the `FetchError` with which a request would fail before it connects. */
    async check (purpose: Purpose, url: string, share: string = purpose): Promise<void> {
      await withShare(share, async () => await guard.resolve(purpose, targetOf(parseUrl(url, purpose))))
    },

    async close (): Promise<void> {
      await Promise.all([...agents.values()].map(async (agent) => { await agent.destroy() }))
    }
  }
}
export type Fetcher = ReturnType<typeof createFetcher>
