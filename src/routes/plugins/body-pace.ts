/** Bodies must keep arriving: a client that sends byte by byte would hold a connection and its memory for hours. */
import { Readable } from 'node:stream'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { AppError } from '../../domain/errors.js'

/** `bytes` must arrive in each `ms` for which we wait. Time in which we do not read, because the disk is busy, does not count. */
export type Pace = { bytes: number, ms: number }

export type BodyLimits = {
  /** For bodies that are streamed to disk: they may be long, but not slow. */
  stream: Pace
  /** The whole of any other body must arrive in this time, in milliseconds. */
  wholeMs: number
  /** How long the rest of a body is read and dropped after the reply, so that the client can read the reply. In milliseconds. */
  lingerMs: number
}

/** 1 kB a second is a tenth of the slowest mobile network; a body of 1 MiB needs 280 kbit/s. */
export const BODY_LIMITS: BodyLimits = { stream: { bytes: 30_000, ms: 30_000 }, wholeMs: 30_000, lingerMs: 5000 }

const TOO_SLOW = 'The body arrived too slowly, so the connection was closed. Send it again over a faster connection.'

/** Resolves after `ms`, and one turn of the event loop later: data that waits in the kernel behind a blocked loop is read first. */
function waitFor (ms: number): { late: Promise<'late'>, cancel: () => void } {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => { setImmediate(() => { setImmediate(resolve, 'late') }) }, Math.max(0, ms))
  })
  return { late, cancel: () => { clearTimeout(timer) } }
}

/** The chunks of `source`. Throws `request_timeout` when they fall behind `pace`; the connection stays open for the reply. */
export async function * keepPace (source: Readable, { bytes, ms }: Pace): AsyncGenerator<Buffer> {
  const chunks = source.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  let leftMs = ms
  let missing = bytes
  for (;;) {
    const began = performance.now()
    const { late, cancel } = waitFor(leftMs)
    const next = chunks.next()
    // It rejects when the connection ends, which may be after we have given up.
    next.catch(() => {})
    const found = await Promise.race([next, late]).finally(cancel)
    if (found === 'late') throw new AppError('request_timeout', TOO_SLOW, { headers: { connection: 'close' } })
    if (found.done) return
    leftMs -= performance.now() - began
    missing -= found.value.length
    if (missing <= 0) [leftMs, missing] = [ms, bytes]
    yield found.value
  }
}

function hasBody ({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

/** Ends the connection of a request that was answered before its body arrived, unless the rest arrives in time. */
function dropRest (raw: IncomingMessage, lingerMs: number): void {
  if (!hasBody(raw) || raw.complete || raw.destroyed) return
  const timer = setTimeout(() => { raw.destroy() }, lingerMs).unref()
  const cancel = (): void => { clearTimeout(timer) }
  raw.once('end', cancel)
  raw.once('close', cancel)
}

/** Applies to all routes registered on `app` after this call. Bodies are not read before the hooks of `onRequest` accept the request. */
export function limitBodies (app: FastifyInstance, limits: BodyLimits = BODY_LIMITS): void {
  const whole = { bytes: Infinity, ms: limits.wholeMs }
  app.addHook('preParsing', async (request, _reply, payload) => {
    if (!hasBody(request.raw)) return payload
    const pace = request.routeOptions.config.operation?.takesBytes ? limits.stream : whole
    return Readable.from(keepPace(payload as Readable, pace), { objectMode: false })
  })
  app.addHook('onResponse', async ({ raw }) => { dropRest(raw, limits.lingerMs) })
}
