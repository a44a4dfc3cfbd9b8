/** How kinds of background work are declared, and the lanes that limit how many pieces run at once. */
import type { WorkClaim } from '../domain/work.js'

/** Kinds of work that share slots. */
export type Lane = {
  /** How many pieces may run at once. */
  readonly slots: number
  /** Claims pieces in the order of the lane. The loop stops when all slots are taken. `running`: the number of running pieces. */
  claims (running: () => number): Iterable<WorkClaim>
  /** Called whenever the loop looks for work and all slots are taken. */
  onFull? (): void
}

/** One kind of background work. */
export type Kind = {
  /** Name of the kind in the `work` table. */
  readonly kind: string
  readonly lane: Lane
  /**
   * Does a piece and stores its end. When `signal` aborts, it gives the piece back. When it throws, the loop gives the piece back at its
   * next tick. `wake` makes the loop look for work that this piece has just created.
   */
  run (claim: WorkClaim, signal: AbortSignal, wake: () => void): Promise<void>
  /** How long a running piece may continue when this process stops. Without it, the piece is aborted at once. */
  readonly graceMs?: number
}

/** Yields claims until there is no more work. */
export function * repeat (claim: () => WorkClaim | undefined): Generator<WorkClaim> {
  for (let found = claim(); found; found = claim()) yield found
}
