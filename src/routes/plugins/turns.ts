/**
 * The main thread is shared: while several owners wait, their requests are answered in turn, one in each turn of the event loop. An owner
 * who floods the server waits behind their own requests; everybody else waits for at most one of them.
 */
import type { FastifyInstance } from 'fastify'

declare module 'fastify' {
  interface FastifyRequest {
    /** Resolves when it is the turn of the caller's owner. Wait for it between pieces of long work on the main thread. */
    takeTurn: () => Promise<void>
    /** The same for any owner, where the caller is nobody. */
    takeTurnOf: (ownerId: number) => Promise<void>
  }
}

/** A longer piece of work waits for its next turn. */
const PIECE_MS = 2

type Waiting = { start: () => void, isGone: () => boolean }

/** `later`: calls back in the next turn of the event loop, after what has arrived was read. */
export function createTurns (later: (next: () => void) => void = setImmediate) {
  /** By owner; the first one is next. */
  const queues = new Map<number, Waiting[]>()
  /** True when this turn of the event loop is taken. */
  let isUsed = false

  /** Takes the first call whose client is still connected. */
  function takeNext (): Waiting | undefined {
    for (const [ownerId, queue] of queues) {
      const first = queue.findIndex(({ isGone }) => !isGone())
      const [next] = first < 0 ? [] : queue.splice(0, first + 1).slice(-1)
      // Move to the end, behind the other owners.
      queues.delete(ownerId)
      if (next && queue.length > 0) queues.set(ownerId, queue)
      if (next) return next
    }
    return undefined
  }

  function use (start: () => void): void {
    isUsed = true
    later(() => {
      isUsed = false
      const next = takeNext()
      if (next) use(next.start)
    })
    start()
  }

  return {
    /** Calls `start` when it is the owner's turn: at once if nobody else waits, never after `isGone`. */
    take (ownerId: number, start: () => void, isGone: () => boolean = () => false): void {
      if (!isUsed) return use(start)
      const queue = queues.get(ownerId)
      if (queue) queue.push({ start, isGone })
      else queues.set(ownerId, [{ start, isGone }])
    }
  }
}

/**
 * The chunks of a file that is rendered while it is sent. Rendering goes on in the owner's next turn after `PIECE_MS` of it, after a chunk
 * was sent, and after it has waited for something: many exports at once never render at the same time. Empty chunks are left out.
 */
export async function * inPieces<T extends { readonly length: number }> (
  chunks: Iterable<T> | AsyncIterable<T>, takeTurn: () => Promise<void>
): AsyncGenerator<T> {
  let sinceMs = performance.now()
  for await (const chunk of chunks) {
    if (chunk.length > 0) yield chunk
    else if (performance.now() - sinceMs < PIECE_MS) continue
    await takeTurn()
    sinceMs = performance.now()
  }
}

/** Applies to operations registered on `app` after this call. Call it after requireCredential, which finds the owner. */
export function answerInTurn (app: FastifyInstance): void {
  const turns = createTurns()
  app.decorateRequest('takeTurn')
  app.decorateRequest('takeTurnOf')
  app.addHook('onRequest', (request, _reply, done) => {
    const ownerId = request.principal?.ownerId
    const isGone = (): boolean => request.socket.destroyed
    request.takeTurnOf = async (id) => { await new Promise<void>((resolve) => { turns.take(id, resolve) }) }
    request.takeTurn = async () => {
      if (ownerId !== undefined) await request.takeTurnOf(ownerId)
    }
    if (ownerId === undefined) done()
    else turns.take(ownerId, done, isGone)
  })
}
