/** Claims background work with a lease, renews leases, and gives work back. */
import type { WorkClaim } from '../domain/work.js'
import type { InTransaction } from '../store/database.js'
import type { WorkStore } from '../store/work.js'

/** A claim that is not renewed for this long is lost. Longer than any window or request takes, so only a hanging process loses one. */
export const LEASE_MS = 5 * 60_000

type Deps = { work: WorkStore, inTransaction: InTransaction, now: () => number }
/** `next`: returns the id of the piece to claim. `begin`: records the claim in the job, in the same transaction. */
export type Choice = { kinds: readonly string[], next: (now: number) => number | undefined, begin?: (claim: WorkClaim) => void }

export function createQueue ({ work, inTransaction, now }: Deps) {
  return {
    /** Claims the piece that `next` chooses. Before that, pieces of these kinds whose lease has run out become claimable. */
    claim: ({ kinds, next, begin }: Choice): WorkClaim | undefined => inTransaction(() => {
      for (const kind of kinds) work.expire(kind, now())
      const id = next(now())
      const claim = id === undefined ? undefined : work.claim(id, now() + LEASE_MS)
      if (claim) begin?.(claim)
      return claim
    }),
    /** Renews the leases of all claims in one transaction. */
    renew (claims: readonly WorkClaim[]): void {
      inTransaction(() => { for (const claim of claims) work.renew(claim, now() + LEASE_MS) })
    },
    /** Gives a piece back undone. The claim does not count as an attempt. */
    release: (claim: WorkClaim): void => { work.release(claim) },
    /** Makes work of dead processes claimable. Only the holder of the work lock may call it. */
    takeBack: (): void => { work.takeBack() }
  }
}
export type Queue = ReturnType<typeof createQueue>
