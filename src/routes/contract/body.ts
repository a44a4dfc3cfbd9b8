/** Bodies that are streamed. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { AppError } from '../../domain/errors.js'

/** Leaves the bodies of operations registered on `app` after this call unread, whatever their content type. */
export function acceptBytes (app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => { done(null, payload) })
}

/** The body as it arrives. A caller who hangs up before the end of `what` gets `invalid_request`, so that it is not logged as our error. */
export async function * readBody (request: FastifyRequest, what: string): AsyncGenerator<Buffer> {
  try {
    yield * request.body as AsyncIterable<Buffer>
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('invalid_request', `The connection ended before the ${what} was complete. Send it again.`, { cause })
  }
}
