/** Server-sent events: what changes in the library of an owner, while a page is open. */
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { LibraryEvent } from '../domain/event.js'
import { MAX_STREAMS } from '../service/events.js'
import type { Events, Listener } from '../service/events.js'
import { operation } from './contract/operation.js'
import { principalOf } from './plugins/auth.js'

/** How long a browser waits before it connects again. */
const RETRY_MS = 2000
/** What may wait for a reader that does not keep up: minutes of events. */
const MAX_UNREAD_BYTES = 64 * 1024

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies must neither compress, which would hold events back, nor buffer.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no'
}

const Stream = Type.String({
  description: 'Events with JSON data. `job`: id, status, stage, progress and title of a transcription that has changed. ' +
    '`list`: transcriptions were added or deleted. `transcript`: id of a transcription whose text, speakers or artifacts have changed.',
  examples: ['event: job\ndata: {"id":42,"status":"processing","stage":"transcribe","progress":37.5,"title":"meeting.mp3"}\n\n']
})

/** JSON has no line breaks, so the data is one line. */
const toText = (event: LibraryEvent | 'heartbeat'): string =>
  event === 'heartbeat' ? ':\n\n' : `event: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`

function toListener ({ isStillValid }: FastifyRequest, { raw }: FastifyReply): Listener {
  return {
    send (event) {
      raw.write(toText(event))
      return !raw.destroyed && raw.writableLength <= MAX_UNREAD_BYTES
    },
    isAllowed: async () => await isStillValid(),
    end: () => { raw.end() },
    drop: () => { raw.destroy() }
  }
}

export const eventRoutes: FastifyPluginAsyncTypebox<{ events: Pick<Events, 'open'> }> = async (app, { events }) => {
  app.get('/events', operation({
    operationId: 'streamEvents',
    tag: 'Events',
    summary: 'Follow the library of the owner',
    description: 'A stream of server-sent events that stays open. Nothing is repeated: read the list again after each connection. ' +
      `There are at most two events a second for each job. An owner may have ${MAX_STREAMS} streams; one more closes the oldest. ` +
      'The stream ends when the credential does.',
    caller: 'transcripts:read',
    replies: {},
    files: { 'text/event-stream': Stream }
  }), async (request, reply) => {
    if (request.method === 'HEAD') return reply.headers(HEADERS).send()
    const { raw } = reply
    const close = events.open(principalOf(request).ownerId, toListener(request, reply))
    reply.hijack()
    raw.once('close', close)
    raw.on('error', () => { raw.destroy() })
    raw.writeHead(200, { ...reply.getHeaders() as Record<string, string>, ...HEADERS })
    raw.write(`retry: ${RETRY_MS}\n\n`)
    return reply
  })
}
