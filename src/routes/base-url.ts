/** Under which address a client knows this appliance. */
import type { FastifyRequest } from 'fastify'

/** The configured address, else the one this request came to; no slash at its end. */
export function baseUrlOf (request: FastifyRequest, publicUrl: string | undefined): string {
  return publicUrl ?? `${request.protocol}://${request.host}`
}
