/** Claims of background work: taken with a lease, renewed, given back. */
import type { WorkClaim } from '../domain/work.js'
import type { InTransaction } from '../store/database.js'
import type { WorkStore } from '../store/work.js'

/** A claim is lost when it is not renewed for this long. Longer than any window or request takes, so that only a hang loses one. */
export const LEASE_MS = 5 * 60_000

type Deps = { work: WorkStore, inTransaction: InTransaction, now: () => number }
/** `next`: the id of the piece to claim; `begin` notes in the same transaction what the claim means for the job. */
export type Choice = { kinds: readonly string[], next: (now: number) => number | undefined, begin?: (claim: WorkClaim) => void }

export function createQueue ({ work, inTransaction, now }: Deps) {
  return {
    /** Claims the piece that `next` chooses. Pieces of these kinds whose lease has run out can be chosen again. */
    claim: ({ kinds, next, begin }: Choice): WorkClaim | undefined => inTransaction(() => {
      for (const kind of kinds) work.expire(kind, now())
      const id = next(now())
      const claim = id === undefined ? undefined : work.claim(id, now() + LEASE_MS)
      if (claim) begin?.(claim)
      return claim
    }),
    /** Renews the leases of all these claims, or of none. */
    renew (claims: readonly WorkClaim[]): void {
      inTransaction(() => { for (const claim of claims) work.renew(claim, now() + LEASE_MS) })
    },
    /** Gives a piece back undone: it does not count as an attempt. */
    release: (claim: WorkClaim): void => { work.release(claim) },
    /** For the process that holds the work lock: makes the work of dead processes claimable. */
    takeBack: (): void => { work.takeBack() }
  }
}
export type Queue = ReturnType<typeof createQueue>
