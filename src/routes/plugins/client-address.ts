/** The address of a request: the peer of its connection, or the client that a trusted proxy names. */
import type { FastifyInstance } from 'fastify'
import { clientAddress } from '../../domain/client-address.js'
import type { Networks } from '../../domain/client-address.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Use it instead of `ip`, which may be the address of a proxy. */
    readonly clientAddress: string
  }
}

/** Call it before other plugins. Fastify's own `trustProxy` also believes the host and scheme that proxies pass on from clients. */
export function readClientAddresses (app: FastifyInstance, trusted: Networks): void {
  app.decorateRequest('clientAddress', {
    getter () {
      // Node joins repeated headers of this name.
      return clientAddress(this.socket.remoteAddress ?? '', this.headers['x-forwarded-for']?.toString(), trusted)
    }
  })
}
