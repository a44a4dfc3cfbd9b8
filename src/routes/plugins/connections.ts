/** A share of the connections for each client network, so that one network cannot keep the others out. */
import type { IncomingMessage, Server } from 'node:http'
import { networkOf } from '../../service/login-limit.js'

type Socket = IncomingMessage['socket']

export type ConnectionLimits = {
  /** All connections together. */
  total: number
  /** Those of one IPv4 address or IPv6 /64. */
  perNetwork: number
}

/** Files that the work holds open: models, the database, decoders, downloads. */
const FILES_OF_WORK = 64
/** A connection that sends a part has a socket and a file. */
const FILES_PER_CONNECTION = 2
/** More clients than a single box can serve at once. */
const MAX_CONNECTIONS = 1024
const MIN_CONNECTIONS = 8

/** Limits for a process that may open `files` files. */
export function connectionLimits (files: number): ConnectionLimits {
  const possible = Math.floor((files - FILES_OF_WORK) / FILES_PER_CONNECTION)
  const total = Math.max(MIN_CONNECTIONS, Math.min(MAX_CONNECTIONS, possible))
  return { total, perNetwork: Math.ceil(total / 2) }
}

/**
 * Closes a connection beyond the limits. If the network has an idle connection, the oldest idle one is closed instead, so that idle
 * connections never keep requests out.
 */
export function limitConnections (server: Server, { total, perNetwork }: ConnectionLimits): void {
  const networks = new Map<string, Set<Socket>>()
  const requests = new WeakMap<Socket, number>()
  const isIdle = (socket: Socket): boolean => (requests.get(socket) ?? 0) === 0

  function makeRoom (sockets: Set<Socket>): boolean {
    for (const socket of sockets) {
      if (!isIdle(socket)) continue
      sockets.delete(socket)
      socket.destroy()
      return true
    }
    return false
  }

  // Node itself closes connections beyond this number.
  server.maxConnections = total
  server.on('connection', (socket) => {
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
  server.on('request', ({ socket }, response) => {
    requests.set(socket, (requests.get(socket) ?? 0) + 1)
    response.once('close', () => { requests.set(socket, (requests.get(socket) ?? 1) - 1) })
  })
}
