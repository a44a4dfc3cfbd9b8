/**
 * A share of the connections for each client network, so that one network cannot keep the others out; and an end for connections that
 * ask for much and read nothing.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { isInNetworks } from '../../domain/client-address.js'
import type { Networks } from '../../domain/client-address.js'
import { AppError } from '../../domain/errors.js'
import { networkOf } from '../../service/login-limit.js'

type Socket = IncomingMessage['socket']

export type ConnectionLimits = {
  /** All connections together. */
  total: number
  /** Those of one IPv4 address or IPv6 /64. */
  perNetwork: number
  /** Requests of one connection that are answered at once. Clients that send several without waiting are rare. */
  perConnection: number
  /** How long a client may leave a reply unread, in milliseconds. */
  unreadMs: number
}

/** Files that the work holds open: models, the database, decoders, downloads. Up to eight workers are part of it. */
const FILES_OF_WORK = 64
const WORKERS_INCLUDED = 8
/** Measured: a thread holds five, for its event loop. One more is the sound that it reads. */
const FILES_PER_WORKER = 6
/** A connection that sends a part has a socket and a file. */
const FILES_PER_CONNECTION = 2
/** More clients than a single box can serve at once. */
const MAX_CONNECTIONS = 1024
const MIN_CONNECTIONS = 8
/** Measured: 40,000 requests for the OpenAPI document over 400 connections that read nothing took all memory within seconds. */
const REQUESTS_PER_CONNECTION = 4
const UNREAD_MS = 60_000

/** Limits for a process that may open `files` files, and transcribes with so many workers. */
export function connectionLimits (files: number, workers: number): ConnectionLimits {
  const filesOfWork = FILES_OF_WORK + FILES_PER_WORKER * Math.max(0, workers - WORKERS_INCLUDED)
  const possible = Math.floor((files - filesOfWork) / FILES_PER_CONNECTION)
  const total = Math.max(MIN_CONNECTIONS, Math.min(MAX_CONNECTIONS, possible))
  return { total, perNetwork: Math.ceil(total / 2), perConnection: REQUESTS_PER_CONNECTION, unreadMs: UNREAD_MS }
}

/** Closes sockets whose client reads nothing of what waits for it. The result stops that. */
function closeUnread (sockets: ReadonlySet<Socket>, unreadMs: number): () => void {
  const before = new Map<Socket, number>()
  const timer = setInterval(() => {
    const waiting = [...sockets].filter((socket) => socket.writableLength > 0)
    for (const socket of waiting) if (before.get(socket) === socket.bytesWritten - socket.writableLength) socket.destroy()
    before.clear()
    for (const socket of waiting) before.set(socket, socket.bytesWritten - socket.writableLength)
  }, unreadMs).unref()
  return () => { clearInterval(timer) }
}

/** Counts what each network holds at the same time. */
function createCounts () {
  const counts = new Map<string, number>()
  return {
    add (network: string, change: 1 | -1): number {
      const count = (counts.get(network) ?? 0) + change
      if (count > 0) counts.set(network, count)
      else counts.delete(network)
      return count
    }
  }
}

const tooManyOfNetwork = (): AppError => new AppError(
  'unavailable', 'Too many requests from this network are being answered at once. Try again in a few seconds.',
  { headers: { 'retry-after': '2' } }
)

/**
 * A trusted proxy may hold any number of connections; instead, requests under way are limited for each network behind it. Throws
 * `unavailable` beyond that.
 */
function limitRequestsOfProxies (app: FastifyInstance, perNetwork: number, trusted: Networks): void {
  const counts = createCounts()
  app.addHook('onRequest', async ({ clientAddress, socket }, reply) => {
    if (!isInNetworks(trusted, socket.remoteAddress ?? '')) return
    const network = networkOf(clientAddress)
    const count = counts.add(network, 1)
    reply.raw.once('close', () => { counts.add(network, -1) })
    if (count > perNetwork) throw tooManyOfNetwork()
  })
}

/**
 * Calls `onSecure` with the socket that requests come from, and the accepted one below it, for each connection whose TLS handshake is
 * done.
 */
function followTls (server: FastifyInstance['server'], onSecure: (encrypted: Socket, accepted: Socket) => void): void {
  const handshaking = new Map<string, Socket>()
  const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`
  server.on('connection', (socket: Socket) => {
    const name = nameOf(socket)
    handshaking.set(name, socket)
    socket.once('close', () => { if (handshaking.get(name) === socket) handshaking.delete(name) })
  })
  server.on('secureConnection', (encrypted: Socket) => {
    const accepted = handshaking.get(nameOf(encrypted))
    if (!accepted) {
      encrypted.destroy()
      return
    }
    handshaking.delete(nameOf(encrypted))
    onSecure(encrypted, accepted)
  })
}

/**
 * Closes a connection beyond the limits. If the network has an idle connection, the oldest idle one is closed instead, so that idle
 * connections never keep requests out. Connections of `trusted` proxies count only in total. Call it before other hooks are added: what is
 * beyond the limits must cost nothing.
 */
export function limitConnections (
  app: FastifyInstance, { total, perNetwork, perConnection, unreadMs }: ConnectionLimits, trusted: Networks = []
): void {
  const { server } = app
  const networks = new Map<string, Set<Socket>>()
  const all = new Set<Socket>()
  /** Sockets of requests by accepted socket, where there is TLS between them. */
  const encryptedOf = new WeakMap<Socket, Socket>()
  const requests = new WeakMap<Socket, number>()
  const requestsOf = (socket: Socket): number => requests.get(encryptedOf.get(socket) ?? socket) ?? 0

  function makeRoom (sockets: Set<Socket>): boolean {
    for (const socket of sockets) {
      if (requestsOf(socket) > 0) continue
      sockets.delete(socket)
      socket.destroy()
      return true
    }
    return false
  }

  // Node itself closes connections beyond this number.
  server.maxConnections = total
  server.on('connection', (socket) => {
    all.add(socket)
    socket.once('close', () => { all.delete(socket) })
    if (isInNetworks(trusted, socket.remoteAddress ?? '')) return
    const network = networkOf(socket.remoteAddress ?? '')
    const sockets = networks.get(network) ?? new Set()
    if (sockets.size >= perNetwork && !makeRoom(sockets)) {
      socket.destroy()
      return
    }
    networks.set(network, sockets.add(socket))
    socket.once('close', () => {
      sockets.delete(socket)
      if (sockets.size === 0 && networks.get(network) === sockets) networks.delete(network)
    })
  })
  app.addHook('onRequest', async ({ raw: { socket } }, reply) => {
    requests.set(socket, requestsOf(socket) + 1)
    reply.raw.once('close', () => { requests.set(socket, requestsOf(socket) - 1) })
    if (requestsOf(socket) <= perConnection) return
    // Node reads all requests of a packet, up to 64 kB, before it stops for replies that wait.
    socket.destroy()
    reply.hijack()
  })
  if ('setSecureContext' in server) {
    followTls(server, (encrypted, accepted) => {
      encryptedOf.set(accepted, encrypted)
      all.add(encrypted)
      encrypted.once('close', () => { all.delete(encrypted) })
    })
  }
  limitRequestsOfProxies(app, perNetwork, trusted)
  const stop = closeUnread(all, unreadMs)
  app.addHook('onClose', async () => { stop() })
}
