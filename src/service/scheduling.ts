/** Who works on what next: claims with leases, fair turns, and taking back what a dead process left. */
import type { ClaimLimits, DecodeClaim, JobStore } from '../store/jobs.js'
import type { WindowClaim, WindowStore } from '../store/windows.js'
import type { InTransaction } from '../store/database.js'

/** A claim is lost when it is not renewed for this long: far beyond any window, so that only a hang loses one. */
export const LEASE_MS = 5 * 60_000
/** Jobs in progress at once: each keeps its decoded sound (115 MB an hour) on disk. */
const LIMITS: ClaimLimits = { maxBytes: Number.MAX_SAFE_INTEGER, maxActive: 24, maxPerOwner: 8 }
/** Files up to this size are decoded in seconds; they get past those limits, so that a clip never waits for long files. */
const SMALL_LIMITS: ClaimLimits = { maxBytes: 8 * 1024 * 1024, maxActive: 72, maxPerOwner: 24 }

type Deps = {
  jobs: JobStore
  windows: WindowStore
  inTransaction: InTransaction
  now: () => number
}

export function createScheduling ({ jobs, windows, inTransaction, now }: Deps) {
  return {
    /**
     * Claims the next recording to decode. `onlySmall` passes over large files: the last free decoder is kept for clips.
     */
    claimDecode (onlySmall: boolean): DecodeClaim | undefined {
      const leaseUntil = now() + LEASE_MS
      return inTransaction(() => (onlySmall ? undefined : jobs.claimDecode(now(), leaseUntil, LIMITS)) ?? jobs.claimDecode(now(), leaseUntil, SMALL_LIMITS))
    },
    renewDecode: ({ job, attempt }: DecodeClaim): void => { jobs.renewDecode(job.id, attempt, now() + LEASE_MS) },
    /** Gives a decode back undone: it does not count as an attempt. */
    releaseDecode: ({ job, attempt }: DecodeClaim): void => { jobs.releaseDecode(job.id, attempt) },
    /** Claims the next window, by fair turn per owner and job. */
    claimWindow (): WindowClaim | undefined {
      return inTransaction(() => {
        const claim = windows.claim(now(), now() + LEASE_MS)
        if (claim) jobs.takeTurn(claim.jobId)
        return claim
      })
    },
    renewWindow: (window: WindowClaim): void => { windows.renew(window, now() + LEASE_MS) },
    /** Gives a window back undone: it does not count as an attempt. */
    releaseWindow: (window: WindowClaim): void => { windows.release(window) },
    /** Queues again what died with another process. Only for whoever holds the work lock. */
    takeBackAll (): void {
      inTransaction(() => {
        windows.takeBack()
        jobs.takeBackDecodes()
      })
    }
  }
}
export type Scheduling = ReturnType<typeof createScheduling>
