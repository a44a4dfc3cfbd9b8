/** Background work: a piece of it, whatever its kind. */

/** The right to work on a piece until its lease ends. A result is accepted only from the latest attempt. */
export type WorkClaim = {
  readonly id: number
  readonly kind: string
  readonly jobId: number
  /** Index of the window, id of the delivery; 0 where a job has only one piece of the kind. */
  readonly idx: number
  /** Times the piece was begun, this one included. */
  readonly attempt: number
  /** Earlier attempts that ended in an error. */
  readonly errors: number
  /** Run of the job: its retry count when the piece was made. Undefined: the piece outlives the run (webhooks). */
  readonly run: number | undefined
}

/** A step has lost its claim to another process, or its job has ended. Its result must not be stored. */
export class ClaimLost extends Error {}
