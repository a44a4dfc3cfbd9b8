/** HTTP for models: proxies, redirects, time limits, and errors a person can read. */
import type { Readable } from 'node:stream'
import { EnvHttpProxyAgent, request } from 'undici'
import { mayRedirect } from '../../domain/model-source.js'
import { codeOf, isTlsCode, toBasicAuth } from './guard.js'
import { ModelError } from '../models/files.js'

const MAX_REDIRECTS = 5
const CONNECT_MS = 20_000
const STALL_MS = 60_000

/** `except`: hosts asked directly, as in NO_PROXY. */
export type Proxy = { http?: string | undefined, https?: string | undefined, except: string }

/** A transfer that failed for now: trying again may help. */
export class PassingError extends Error {
  override readonly name = 'PassingError'
}

export type Answer = { status: number, headers: Record<string, string | undefined>, body: Readable, dump: () => Promise<void> }
/** `patienceMs`: how long each answer may take to begin; absent: as long as a slow line needs. */
type Ask = {
  method: 'GET' | 'HEAD', headers?: Record<string, string>, isEnough?: (headers: Answer['headers']) => boolean, patienceMs?: number
}

const flatten = (headers: Record<string, string | string[] | undefined>): Answer['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]))

/** Codes of errors that another try cannot mend, and what to say of them. */
function explainLasting (code: string, host: string): string | undefined {
  if (code === 'ENOTFOUND') return `no network here knows ${host}, or the proxy before it; without a network, bring models along with \`stenobox models export\` and \`import\``
  if (isTlsCode(code)) return `${host} shows a certificate that is not trusted here (${code}); name your own authority in NODE_EXTRA_CA_CERTS`
  return undefined
}

const PASSING: Record<string, string> = {
  ECONNREFUSED: 'refuses the connection',
  ECONNRESET: 'broke the connection',
  UND_ERR_SOCKET: 'broke the connection',
  UND_ERR_BODY_TIMEOUT: 'sent nothing for too long',
  UND_ERR_HEADERS_TIMEOUT: 'does not answer',
  UND_ERR_CONNECT_TIMEOUT: 'cannot be reached',
  ETIMEDOUT: 'cannot be reached',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached: is there a network',
  EAI_AGAIN: 'cannot be looked up: is there a network'
}

/** An error of the connection to `host` as one that says so; others as they are. */
export function wrapNetworkError (error: unknown, host: string): unknown {
  const code = codeOf(error)
  if (error instanceof ModelError || error instanceof PassingError || code === undefined) return error
  const lasting = explainLasting(code, host)
  if (lasting !== undefined) return new ModelError(lasting, { cause: error })
  const words = PASSING[code]
  if (words !== undefined) return new PassingError(`${host} ${words}`, { cause: error })
  // The proxy's refusal is only in undici's words; those name a status and no address.
  const status = /\((\d{3})\)/.exec(error instanceof Error ? error.message : '')?.[1]
  if (code === 'UND_ERR_ABORTED' && status !== undefined) return new ModelError(`the proxy does not let this machine reach ${host} (status ${status})`, { cause: error })
  return code.startsWith('UND_ERR') || code.startsWith('HPE_') ? new PassingError(`${host} does not speak proper HTTP (${code})`, { cause: error }) : error
}

function createDispatcher ({ http = '', https = '', except }: Proxy): EnvHttpProxyAgent {
  try {
    // Empty texts, not absent ones: for what is absent, undici would look into the environment.
    return new EnvHttpProxyAgent({ httpProxy: http, httpsProxy: https, noProxy: except, connectTimeout: CONNECT_MS })
  } catch (cause) {
    throw new ModelError('the proxy must be an address like http://proxy.example:3128; see STENOBOX_HTTP_PROXY, HTTPS_PROXY and HTTP_PROXY', { cause })
  }
}

export function createModelHttp ({ proxy = { except: '' }, stallMs = STALL_MS }: { proxy?: Proxy, stallMs?: number } = {}) {
  let dispatcher: EnvHttpProxyAgent | undefined

  async function askOnce (url: URL, first: URL, { method, headers, patienceMs }: Ask): Promise<Answer> {
    dispatcher ??= createDispatcher(proxy)
    // Looking up a name and connecting have no limit of their own that could be set for one request.
    const stop = new AbortController()
    const timer = patienceMs === undefined ? undefined : setTimeout(() => { stop.abort() }, patienceMs)
    try {
      const answer = await request(new URL(url.origin + url.pathname + url.search), {
        dispatcher,
        method,
        headers: { 'user-agent': 'stenobox', 'accept-encoding': 'identity', ...headers, ...(url.origin === first.origin ? toBasicAuth(first) : {}) },
        headersTimeout: stallMs,
        bodyTimeout: stallMs,
        signal: stop.signal
      })
      return { status: answer.statusCode, headers: flatten(answer.headers), body: answer.body, dump: async () => { await answer.body.dump() } }
    } catch (error) {
      if (stop.signal.aborted) throw new PassingError(`${url.host} does not answer within ${(patienceMs ?? 0) / 1000} s`, { cause: error })
      throw wrapNetworkError(error, url.host)
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    /**
     * Asks, and follows redirects until there is an answer, or one whose headers are `isEnough`. Throws `PassingError`
     * when trying again may help, else `ModelError`.
     */
    async ask (first: URL, ask: Ask): Promise<Answer> {
      let url = first
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        const answer = await askOnce(url, first, ask)
        const { location } = answer.headers
        if (ask.isEnough?.(answer.headers) || answer.status < 300 || answer.status >= 400 || location === undefined) return answer
        await answer.dump()
        if (!URL.canParse(location, url.href)) throw new ModelError(`${url.host} redirects to something that is no address`)
        const next = new URL(location, url)
        if (!mayRedirect(url, next)) throw new ModelError(`${url.host} redirects to ${next.protocol}//${next.host}, which is not as safe as https; the redirect is not followed`)
        url = next
      }
      throw new ModelError(`${first.host} redirects more than ${MAX_REDIRECTS} times`)
    },
    async close (): Promise<void> {
      await dispatcher?.destroy()
    }
  }
}
export type ModelHttp = ReturnType<typeof createModelHttp>
