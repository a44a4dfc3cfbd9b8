/** What the loop knows of background work: kinds, and the lanes that limit how much of them runs at once. */
import type { WorkClaim } from '../domain/work.js'

/** Pieces of work that share their slots. */
export type Lane = {
  /** Pieces at once. */
  readonly slots: number
  /** Claims one piece after another, in the order of the lane; the loop stops asking when all slots are taken. `running` counts them. */
  claims (running: () => number): Iterable<WorkClaim>
}

/** One kind of background work. */
export type Kind = {
  /** Name of the kind in the table of work. */
  readonly kind: string
  readonly lane: Lane
  /**
   * Does a piece and notes its end. When `signal` aborts, it gives the piece back. When it throws, the loop gives the piece back and it is
   * tried again at the next tick. `wake` makes the loop look for work that this piece has just made.
   */
  run (claim: WorkClaim, signal: AbortSignal, wake: () => void): Promise<void>
  /** How long what runs may take to end when this process stops; without it, it is aborted at once. */
  readonly graceMs?: number
}

/** Claims as long as `claim` finds something. */
export function * repeat (claim: () => WorkClaim | undefined): Generator<WorkClaim> {
  for (let found = claim(); found; found = claim()) yield found
}
