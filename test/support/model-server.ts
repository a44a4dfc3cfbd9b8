/** Servers on the loopback interface for tests of downloads: a hub with faults, and a proxy. */
import { createHash, randomBytes } from 'node:crypto'
import { createServer, request } from 'node:http'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import type { Test } from 'tap'
import { listen } from './listen.ts'

export const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
export const sha1Of = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('hex')
export const makeBytes = (count = 300_000): Buffer => randomBytes(count)

/** The message of a promise's rejection. */
export const messageOf = async (promise: Promise<unknown>): Promise<string> =>
  await promise.then(
    () => 'it worked',
    (error: Error) => `${error.name}: ${error.message}`
  )

export type Seen = {
  method: string
  url: string
  range: string | undefined
  ifRange: string | undefined
  authorization: string | undefined
}

export type TestServer = { url: string, seen: Seen[], /** Destroys every connection. */ cut: () => void }

/** A server that answers with `answer`, and records requests. */
export async function startServer (t: Test, answer: (seen: Seen, response: ServerResponse, count: number) => void): Promise<TestServer> {
  const seen: Seen[] = []
  const server = createServer((incoming: IncomingMessage, response) => {
    const { range, authorization, 'if-range': ifRange } = incoming.headers
    const one = { method: incoming.method ?? '', url: incoming.url ?? '', range, ifRange: ifRange as string | undefined, authorization }
    seen.push(one)
    answer(one, response, seen.length)
  })
  return { url: await listen(t, server), seen, cut: () => { server.closeAllConnections() } }
}

type Serve = {
  etag?: string
  /** Bytes of the body after which nothing more comes. */ stallAfter?: number | undefined
  ranges?: 'honoured' | 'ignored'
}

/** Answers like a file server, with ranges, If-Range and an entity tag, and with the requested faults. */
export function serveBytes (
  { range, ifRange }: Seen,
  response: ServerResponse,
  bytes: Buffer,
  { etag = '"v1"', stallAfter, ranges = 'honoured' }: Serve = {}
): void {
  const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
  const isPart = range !== undefined && ranges === 'honoured' && (ifRange === undefined || ifRange === etag)
  if (isPart && start >= bytes.length) {
    response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end()
    return
  }
  const body = isPart ? bytes.subarray(start) : bytes
  const headers = { etag, 'content-length': body.length }
  response.writeHead(
    isPart ? 206 : 200,
    isPart ? { ...headers, 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` } : headers
  )
  if (stallAfter === undefined) response.end(body)
  else response.write(body.subarray(0, stallAfter))
}

/** A proxy for http (absolute form) and for CONNECT that leads every tunnel to `tunnelTo` (host:port). */
export async function startProxy (t: Test, tunnelTo = '', wantedAuthorization?: string): Promise<{ url: string, seen: string[] }> {
  const seen: string[] = []
  const forward: RequestListener = (incoming, response) => {
    seen.push(`${incoming.method} ${incoming.url}`)
    const onward = request(incoming.url ?? '', { method: incoming.method, headers: incoming.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    incoming.pipe(onward)
  }
  const server = createServer(forward)
  const sockets = new Set<Socket>()
  server.on('connect', (incoming, socket: Socket) => {
    seen.push(`CONNECT ${incoming.url}`)
    if (wantedAuthorization !== undefined && incoming.headers['proxy-authorization'] !== wantedAuthorization) {
      socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n')
      return
    }
    const [host, port] = tunnelTo.split(':')
    const onward = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.pipe(socket).pipe(onward)
    })
    for (const one of [socket, onward]) sockets.add(one.on('error', () => {}))
  })
  const url = await listen(t, server)
  t.teardown(() => { for (const socket of sockets) socket.destroy() })
  return { url, seen }
}
