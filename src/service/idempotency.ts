/** Idempotency: a repeated request gets the first answer and is not carried out again. */
import { AppError, isBusy, isNoRoom } from '../domain/errors.js'
import { ANSWER_TTL_MS, fingerprint, isFinal, MAX_ANSWERS, requestId, seal, unseal } from '../domain/idempotency.js'
import type { Answer, IdempotentRequest, RequestClaim } from '../domain/idempotency.js'
import type { Log } from '../domain/log.js'
import type { InTransaction } from '../store/database.js'
import type { IdempotencyStore } from '../store/idempotency.js'
import { packJson, unpackJson } from '../store/packed-json.js'

/** A claimant that has not renewed its claim for this long is dead. */
const LEASE_MS = 60_000
/** How often to renew a claim while its request is carried out. */
export const RENEW_MS = LEASE_MS / 4

type Deps = {
  requests: IdempotencyStore
  /**
   * For claims. A power cut that takes a claim takes everything that its request had committed, too, so carrying it out again is right. The
   * stored answer is synced, and so is the claim with it.
   */
  inUnsyncedTransaction: InTransaction
  now: () => number
  log: Log
}

export function createIdempotency ({ requests, inUnsyncedTransaction, now, log }: Deps) {
  function claimOrFind (request: IdempotentRequest): { claim: RequestClaim } | { sealed: Buffer } {
    const id = requestId(request)
    const asked = fingerprint(request)
    const leaseUntil = now() + LEASE_MS
    const known = requests.find(id)
    if (!known || known.createdAt <= now() - ANSWER_TTL_MS) {
      requests.remove(id)
      const { scope } = request
      const claim = requests.insert({ id, fingerprint: asked, scope, leaseUntil, now: now() })
      requests.removeBeyond(scope, MAX_ANSWERS)
      return { claim }
    }
    if (!known.fingerprint.equals(asked)) {
      throw new AppError('idempotency_mismatch', 'This Idempotency-Key was used for another request. Send a new key, or the same request.')
    }
    if (known.answer) return { sealed: known.answer }
    if (known.leaseUntil <= now()) return { claim: requests.takeOver(id, leaseUntil) }
    throw new AppError('idempotency_in_flight', 'The first request with this Idempotency-Key is still running. Try again in a moment.', {
      headers: { 'retry-after': '1' }
    })
  }

  /** The request has been carried out by now: a full disk or a lock must not turn its answer into an error. */
  function tryToStore (work: () => void): void {
    try {
      work()
    } catch (error) {
      if (!isNoRoom(error) && !isBusy(error)) throw error
      log.warn({ err: error }, 'the answer to an idempotent request could not be noted')
    }
  }

  return {
    /**
     * Returns the stored answer, or a claim to carry out the request, which the caller renews and finishes. Throws `idempotency_mismatch`
     * and `idempotency_in_flight`.
     */
    begin (request: IdempotentRequest): { answer: Answer } | { claim: RequestClaim } {
      const found = inUnsyncedTransaction(() => claimOrFind(request))
      return 'claim' in found ? found : { answer: unpackJson(unseal(request.key, found.sealed)) as Answer }
    },
    /** Extends the claim. Never throws: a lease lasts for several renewals, and no caller waits for this. */
    renew (claim: RequestClaim): void {
      try {
        requests.renew(claim, now() + LEASE_MS)
      } catch (error) {
        log.warn({ err: error }, 'the claim of an idempotent request could not be renewed')
      }
    },
    /** Stores the answer if it is final. Call it before the answer is sent. */
    finish (claim: RequestClaim, key: string, answer: Answer): void {
      tryToStore(() => {
        if (isFinal(answer.status)) requests.finish(claim, seal(key, packJson(answer)))
        else inUnsyncedTransaction(() => { requests.release(claim) })
      })
    },
    /** Removes answers past their lifetime. */
    async sweep (): Promise<void> {
      requests.removeUntil(now() - ANSWER_TTL_MS)
    }
  }
}
export type Idempotency = ReturnType<typeof createIdempotency>
