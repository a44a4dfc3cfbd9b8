/** Long edits are several transactions. A request with an Idempotency-Key that died between them is completed when it is repeated. */
import { AppError } from '../domain/errors.js'
import type { RequestClaim } from '../domain/idempotency.js'
import type { EditedSegment, Revision, RevisionKind } from '../domain/revision.js'
import type { EditStore } from '../store/edits.js'
import type { IdempotencyStore } from '../store/idempotency.js'

type Deps = { edits: EditStore, requests: Pick<IdempotencyStore, 'findRevision' | 'setRevision'>, now: () => number }

export function createInterruptedEdits ({ edits, requests, now }: Deps) {
  return {
    /**
     * The revision that an earlier attempt of the request has begun, to be completed. Undefined when there is none. Throws `conflict` when
     * the transcript was changed since.
     */
    find (id: number, claim: RequestClaim | undefined): Revision | undefined {
      const number = claim && requests.findRevision(claim)
      if (number === undefined) return undefined
      const revision = edits.findRevision(id, number)
      if (revision && !revision.isUndone && number === edits.lastRevision(id)) return revision
      throw new AppError(
        'conflict',
        `This request was interrupted, and the transcript was changed since, so it cannot be completed. What it had changed is revision ${
        number}. Undo that revision if you do not want it; for a new change, send a new Idempotency-Key.`
      )
    },
    /**
     * Creates the next revision and notes that the request has begun it. Call it in the transaction of the first change. Throws
     * `idempotency_in_flight` when another request holds the claim.
     */
    begin (id: number, claim: RequestClaim | undefined, kind: RevisionKind, undoes?: number): number {
      const number = edits.begin(id, kind, now(), undoes)
      if (!claim || requests.setRevision(claim, number)) return number
      throw new AppError('idempotency_in_flight', 'The request with this Idempotency-Key was begun again. Wait for its reply.', {
        headers: { 'retry-after': '1' }
      })
    },
    /** The text that a segment had before a revision; its own if that did not change it. `number`: of the last revision. */
    textBefore (id: number, segment: EditedSegment, number: number | undefined): string {
      return (number === segment.revision ? edits.findBefore(id, number, segment)?.text : undefined) ?? segment.text
    }
  }
}
