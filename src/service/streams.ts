/** A share of the open streams for each owner: sound that somebody listens to stays open for hours. */
import { AppError } from '../domain/errors.js'

/** Something that stays open. `stop` ends it. */
type Stream = { ownerId: number, jobId: number, stop: () => void }

const RETRY_SECONDS = 10

/** `perOwner`: the oldest stream of an owner ends when another one begins. `total`: of all owners. */
export function createStreams ({ perOwner, total }: { perOwner: number, total: number }) {
  /** In the order in which they began. */
  const open = new Set<Stream>()

  function end (stream: Stream): void {
    open.delete(stream)
    stream.stop()
  }

  return {
    /** Counts a stream. Returns what must be called when it has ended. Throws `unavailable` when others have all of them. */
    add (stream: Stream): () => void {
      const own = [...open].filter(({ ownerId }) => ownerId === stream.ownerId)
      // A player that jumps asks for another part before its last request has ended.
      if (own.length >= perOwner && own[0]) end(own[0])
      if (open.size >= total) {
        throw new AppError('unavailable', 'Too many recordings are being listened to at once. Try again in a few seconds.', {
          headers: { 'retry-after': String(RETRY_SECONDS) }
        })
      }
      open.add(stream)
      return () => { open.delete(stream) }
    },
    /** Ends the streams of a job that was removed. */
    endOf (jobId: number): void {
      for (const stream of [...open]) if (stream.jobId === jobId) end(stream)
    },
    endAll (): void {
      for (const stream of [...open]) end(stream)
    },
    count: (): number => open.size
  }
}
export type Streams = ReturnType<typeof createStreams>
