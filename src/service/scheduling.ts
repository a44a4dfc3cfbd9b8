/** Who works on what next: claims with leases, fair turns, and taking back what a dead process left. */
import type { ClaimLimits, DecodeClaim, JobStore } from '../store/jobs.js'
import type { FetchClaim, FetchLimits, SourceStore } from '../store/sources.js'
import type { WindowClaim, WindowStore } from '../store/windows.js'
import type { InTransaction } from '../store/database.js'

/** A claim is lost when it is not renewed for this long: far beyond any window, so that only a hang loses one. */
export const LEASE_MS = 5 * 60_000
/** Jobs in progress at once: each keeps its decoded sound (115 MB an hour) on disk. */
const LIMITS: ClaimLimits = { maxBytes: Number.MAX_SAFE_INTEGER, maxActive: 24, maxPerOwner: 8 }
/** Files up to this size are decoded in seconds; they get past those limits, so that a clip never waits for long files. */
const SMALL_LIMITS: ClaimLimits = { maxBytes: 8 * 1024 * 1024, maxActive: 72, maxPerOwner: 24 }

/** An owner may fetch this many at once; media that is fetched and not decoded yet takes disk, so no more than this is fetched ahead. */
const FETCH_LIMITS: FetchLimits = { maxPerOwner: 3, maxAhead: 24 }

type Deps = {
  jobs: JobStore
  sources: SourceStore
  windows: WindowStore
  inTransaction: InTransaction
  now: () => number
}

export function createScheduling ({ jobs, sources, windows, inTransaction, now }: Deps) {
  return {
    /** Claims the next source to fetch. `onlyNew` passes over owners for whom one is being fetched: the last free place is kept for others. */
    claimFetch (onlyNew: boolean): FetchClaim | undefined {
      return inTransaction(() => {
        const claim = sources.claim(now(), now() + LEASE_MS, onlyNew ? { ...FETCH_LIMITS, maxPerOwner: 1 } : FETCH_LIMITS)
        if (claim) jobs.beginFetch(claim.jobId, now())
        return claim
      })
    },
    renewFetch: (claim: FetchClaim): void => { sources.renew(claim, now() + LEASE_MS) },
    /** Gives a fetch back undone: it does not count as an attempt. */
    releaseFetch: (claim: FetchClaim): void => { sources.release(claim) },
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
        sources.takeBack()
      })
    }
  }
}
export type Scheduling = ReturnType<typeof createScheduling>
