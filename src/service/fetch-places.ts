/** Places to fetch are lent: a place that was held for long is taken back when another owner waits. */

/** How long a fetch may keep its place while another owner waits. */
export const HOLD_MS = 5 * 60_000

type Holder = { ownerId: number, sinceMs: number, controller: AbortController }

type Deps = {
  /** True when an owner other than this one waits for a place. */
  isOtherWaiting: (ownerId: number) => boolean
  /** A monotonic clock in ms. */
  elapsed?: (() => number) | undefined
}

export function createFetchPlaces ({ isOtherWaiting, elapsed = () => performance.now() }: Deps) {
  /** The one that has held its place longest comes first. */
  const holders = new Set<Holder>()

  return {
    /** Runs `work`. Its signal aborts with `signal`, and when the place must be given back. */
    async hold (ownerId: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
      const holder = { ownerId, sinceMs: elapsed(), controller: new AbortController() }
      holders.add(holder)
      try {
        await work(AbortSignal.any([signal, holder.controller.signal]))
      } finally {
        holders.delete(holder)
      }
    },
    /** Takes back the place that was held longest, if that is `HOLD_MS` or more and another owner waits. One at a time. */
    yieldOne (): void {
      const [first] = holders
      if (!first || first.controller.signal.aborted || elapsed() - first.sinceMs < HOLD_MS || !isOtherWaiting(first.ownerId)) return
      first.controller.abort(new Error('another owner waits for the place'))
    }
  }
}
