/** An HTTP proxy on this machine, through which programs that fetch on their own (yt-dlp, ffmpeg) reach allowed addresses only. */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { STATUS_CODES, createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { request } from 'undici'
import type { Agent } from 'undici'
import type { Purpose, Target } from '../../domain/addresses.js'
import { FetchError } from '../../domain/fetch-error.js'
import type { FetchErrorCode } from '../../domain/fetch-error.js'
import { wrapFetchError } from './errors.js'
import { createGuard, parseUrl } from './guard.js'
import type { Guard, GuardDeps } from './guard.js'
import { withShare } from './names.js'

/** A program opens a few connections for pieces of a stream; more are no use to it. */
const MAX_CONNECTIONS = 64

export type ProxyLimits = {
  /** Without a byte on a connection, in either direction. */
  idleMs: number
  /** Life of the whole proxy: it serves one run of one program. */
  totalMs: number
  /** Towards the program, over all its connections. */
  maxBytes: number
}
const LIMITS: ProxyLimits = { idleMs: 30_000, totalMs: 3_600_000, maxBytes: 10 * 1024 ** 3 }

export type FilterProxy = {
  /** With name and password, so for the program's environment: its arguments are seen by everyone on the machine. */
  url: string
  /** The last refusal or error. The program sees only its status. */
  problem (): FetchError | undefined
  /** Ends every connection. */
  close (): Promise<void>
}

const STATUS: Partial<Record<FetchErrorCode, number>> = { blocked: 403, offline: 403, invalid_url: 400, timeout: 504 }
const CHALLENGE = { 'proxy-authenticate': 'Basic realm="stenobox"', connection: 'close' }

/** An answer to CONNECT, which Node leaves to us. */
const renderRefusal = (status: number): string => [
  `HTTP/1.1 ${status} ${STATUS_CODES[status]}`, `proxy-authenticate: ${CHALLENGE['proxy-authenticate']}`,
  'connection: close', 'content-length: 0', '', ''
].join('\r\n')

function isAuthorized ({ headers }: IncomingMessage, credential: string): boolean {
  const shown = Buffer.from(headers['proxy-authorization'] ?? '')
  const expected = Buffer.from(`Basic ${Buffer.from(credential).toString('base64')}`)
  return shown.length === expected.length && timingSafeEqual(shown, expected)
}

/** Of one connection only, or meant for the proxy; undici sets its own. */
const HOP_BY_HOP = [
  'connection', 'expect', 'host', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer',
  'transfer-encoding', 'upgrade'
]

function passOn (headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const dropped = new Set([...HOP_BY_HOP, ...String(headers.connection ?? '').toLowerCase().split(/\s*,\s*/)])
  const kept = Object.entries(headers).flatMap(([name, value]) => value === undefined || dropped.has(name) ? [] : [[name, value]])
  return Object.fromEntries(kept)
}

/** The target of `CONNECT host:port`, its host as a parsed URL spells it. Throws `FetchError` with `invalid_url`. */
function parseAuthority (text: string, purpose: Purpose): Target {
  const [, port] = /^(?:\[[^\]]+\]|[^:@/?#]+):(\d{1,5})$/.exec(text) ?? []
  if (port === undefined) throw new FetchError('invalid_url', purpose)
  return { host: parseUrl(`http://${text}`, purpose).hostname, port: Number(port) }
}

type Run = {
  guard: Guard
  agent: Agent
  purpose: Purpose
  share: string
  idleMs: number
  credential: string
  /** Both ends of tunnels. Node's server no longer closes connections that became tunnels. */
  tunnels: Set<Duplex>
  count (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer>
  /** Records an error from before the reply, and returns the status to reply with. The program itself sees later errors. */
  note (error: unknown): number
}

/** Passes a request on. */
async function forward ({ agent, purpose, idleMs, count }: Run, asked: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = parseUrl(asked.url ?? '', purpose)
  // Requests for https come as CONNECT. If the proxy made them, the program could not check the certificate.
  if (url.protocol !== 'http:') throw new FetchError('invalid_url', purpose)
  const left = new AbortController()
  response.once('close', () => { left.abort() })
  const hasBody = asked.headers['transfer-encoding'] !== undefined || Number(asked.headers['content-length']) > 0
  const answer = await request(new URL(url.origin + url.pathname + url.search), {
    dispatcher: agent,
    method: asked.method ?? 'GET',
    headers: passOn(asked.headers),
    body: hasBody ? asked : null,
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
    signal: left.signal
  })
  response.writeHead(answer.statusCode, passOn(answer.headers))
  await pipeline(answer.body, count, response)
}

async function openTunnel (
  { guard, purpose, idleMs, credential, tunnels, count, note }: Run, asked: IncomingMessage, client: Duplex, head: Buffer
): Promise<void> {
  const track = (socket: Duplex): void => { tunnels.add(socket.on('error', () => {}).once('close', () => { tunnels.delete(socket) })) }
  track(client)
  if (!isAuthorized(asked, credential)) {
    client.end(renderRefusal(407))
    return
  }
  try {
    const server = await guard.connect(purpose, parseAuthority(asked.url ?? '', purpose))
    track(server)
    server.setTimeout(idleMs, () => { server.destroy() })
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    server.write(head)
    // Ends the server's side, too, when the program left meanwhile or the proxy was closed.
    Promise.all([pipeline(client, server), pipeline(server, count, client)]).catch(() => {})
  } catch (error) {
    client.end(renderRefusal(note(error)))
  }
}

function createProxyServer (run: Run): Server {
  const server = createServer((asked, response) => {
    if (!isAuthorized(asked, run.credential)) {
      response.writeHead(407, CHALLENGE).end()
      return
    }
    withShare(run.share, async () => { await forward(run, asked, response) }).catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else response.writeHead(run.note(error), { connection: 'close' }).end()
    })
  })
  server.on('connect', async (asked, client, head) => {
    await withShare(run.share, async () => { await openTunnel(run, asked, client, head) })
  })
  server.maxConnections = MAX_CONNECTIONS
  return server
}

type Options = GuardDeps & {
  purpose?: Purpose
  limits?: Partial<ProxyLimits>
  /** Who the program runs for: see `FetchRequest`. */
  share?: string
}

/** Starts a proxy for one run of one program, by default for sources. */
export async function startFilterProxy ({ purpose = 'sources', share = purpose, limits, ...deps }: Options): Promise<FilterProxy> {
  const { idleMs, totalMs, maxBytes } = { ...LIMITS, ...limits }
  const guard = createGuard(deps)
  const credential = `stenobox:${randomBytes(32).toString('base64url')}`
  const agent = guard.createAgent(purpose)
  const run: Run = { guard, agent, purpose, share, idleMs, credential, tunnels: new Set(), count, note }
  const server = createProxyServer(run)
  let problem: FetchError | undefined
  let bytes = 0

  async function * count (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      bytes += chunk.length
      if (bytes > maxBytes) await stop('too_large')
      yield chunk
    }
  }

  function note (error: unknown): number {
    const wrapped = wrapFetchError(error, purpose)
    if (!(wrapped instanceof FetchError)) return 502
    // After `close`, connections break because we closed them.
    if (server.listening) problem = wrapped
    return STATUS[wrapped.code] ?? 502
  }

  async function close (): Promise<void> {
    clearTimeout(timer)
    server.close()
    server.closeAllConnections()
    for (const socket of run.tunnels) socket.destroy()
    await run.agent.destroy()
  }

  async function stop (code: 'timeout' | 'too_large'): Promise<void> {
    problem = new FetchError(code, purpose)
    await close()
  }

  const timer = setTimeout(async () => { await stop('timeout') }, totalMs)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { url: `http://${run.credential}@127.0.0.1:${(server.address() as AddressInfo).port}`, problem: () => problem, close }
}
