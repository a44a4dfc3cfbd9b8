/** The address under which a client knows this appliance. */
import type { FastifyRequest } from 'fastify'

/** The configured address, else the one this request was sent to; without a trailing slash. */
export function baseUrlOf (request: FastifyRequest, publicUrl: string | undefined): string {
  return publicUrl ?? `${request.protocol}://${request.host}`
}
