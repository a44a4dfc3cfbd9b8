/** What every attack needs: requests from another network than the good owner's, and servers that behave badly. */
import { once } from 'node:events'
import { Agent, createServer, request as httpRequest } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

/** Another address of the loopback interface counts as another network. */
const LOCAL_ADDRESS = '127.0.0.2'
const MAX_SOCKETS = 64

export type Answer = { status: number, body: { data?: Record<string, unknown>, code?: string } }
export type Enemy = {
  scratch: string
  /** Host and port of the appliance. */
  host: string
  port: number
  key: string
  /** The job of a completed transcription of an hour. */
  hourId: number
  /** Requests with the key. An error counts as status 0. */
  call: (method: string, path: string, body?: object | Buffer, headers?: Record<string, string>) => Promise<Answer>
  /** Asks for something and drops what comes, unread by any parser: the attack is to cost the appliance more than the attacker. */
  read: (path: string) => Promise<void>
  /** Sends a link; true when it was accepted. */
  link: (sourceUrl: string, more?: object) => Promise<boolean>
  upload: (bytes: Buffer, more?: object) => Promise<boolean>
  /** A connection to the appliance. */
  open: () => Socket
  /** Starts a server; its address as the appliance reaches it. */
  serve: (listener: (request: IncomingMessage, response: ServerResponse) => void) => Promise<string>
  /** Runs `work` so many at a time, `count` times. */
  flood: (count: number, atOnce: number, work: (index: number) => Promise<unknown>) => Promise<void>
}

export async function openEnemy (
  { url, key, scratch, hourId }: Pick<Enemy, 'key' | 'scratch' | 'hourId'> & { url: string }
): Promise<Enemy> {
  const { hostname: host, port } = new URL(url)
  const agent = new Agent({ keepAlive: true, maxSockets: MAX_SOCKETS, localAddress: LOCAL_ADDRESS } as object)
  const servers = new Map<(request: IncomingMessage, response: ServerResponse) => void, string>()

  const call: Enemy['call'] = (method, path, body, headers = {}) => new Promise((resolve) => {
    const isRaw = Buffer.isBuffer(body)
    const bytes = body && (isRaw ? body : Buffer.from(JSON.stringify(body)))
    const outgoing = httpRequest({
      host, port, agent, method, path,
      headers: {
        authorization: `Bearer ${key}`, ...headers,
        ...(bytes && { 'content-type': isRaw ? 'application/octet-stream' : 'application/json', 'content-length': bytes.length })
      }
    }, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => { chunks.push(chunk) })
      incoming.on('error', () => { resolve({ status: 0, body: {} }) })
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({ status: incoming.statusCode ?? 0, body: text.startsWith('{') ? JSON.parse(text) as Answer['body'] : {} })
      })
    })
    outgoing.on('error', () => { resolve({ status: 0, body: {} }) })
    outgoing.end(bytes)
  })

  return {
    scratch, host, port: Number(port), key, hourId, call,
    read: async (path) => await new Promise<void>((resolve) => {
      const outgoing = httpRequest({ host, port, agent, path, headers: { authorization: `Bearer ${key}` } }, (incoming) => {
        incoming.resume().once('close', resolve)
      })
      outgoing.on('error', () => { resolve() })
      outgoing.end()
    }),
    link: async (sourceUrl, more = {}) => (await call('POST', '/api/v1/media/ingest', { sourceUrl, ...more })).status === 201,
    async upload (bytes, more = {}) {
      const { status, body } = await call('POST', '/api/v1/media/uploads/init', { fileName: 'x', fileSize: bytes.length, ...more })
      if (status !== 201) return false
      const { uploadId, partSize, parts } = body.data as { uploadId: string, partSize: number, parts: Array<{ url: string }> }
      for (const [index, part] of parts.entries()) {
        await call('PUT', new URL(part.url).pathname, bytes.subarray(index * partSize, (index + 1) * partSize))
      }
      return (await call('POST', '/api/v1/media/uploads/complete', { uploadId })).status === 200
    },
    open () {
      const socket = connect({ host, port: Number(port), localAddress: LOCAL_ADDRESS })
      socket.on('error', () => {})
      return socket
    },
    async serve (listener) {
      const known = servers.get(listener)
      if (known) return known
      const server = createServer(listener).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      servers.set(listener, address)
      return address
    },
    async flood (count, atOnce, work) {
      let next = 0
      await Promise.all(Array.from({ length: atOnce }, async () => { while (next < count) await work(next++) }))
    }
  }
}
