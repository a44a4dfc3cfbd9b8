/** A limit on the time of one call of an engine. */
import { JobFailure } from '../domain/errors.js'
import { createAbort } from '../engine/speech/abort.js'
import type { Abort } from '../engine/speech/abort.js'

/** How long a call may take to stop after it was asked to. After that it is left alone. */
const GRACE_MS = 1000

/** The flag of an engine call, set when `signal` aborts. */
export function abortOn (signal: AbortSignal): Abort {
  const abort = createAbort()
  if (signal.aborted) abort.stop()
  else signal.addEventListener('abort', abort.stop, { once: true })
  return abort
}

/**
 * Runs `call` with a flag that is set when `signal` aborts or after `limitMs`. Rejects as `call` does; with `JobFailure` timeout when the
 * time is up, also if `call` does not stop then. When `signal` aborts and `call` does not stop, rejects with the reason of the signal.
 */
export async function runWithin<T> (limitMs: number, signal: AbortSignal, call: (abort: Abort) => Promise<T>): Promise<T> {
  const abort = abortOn(signal)
  const timers: NodeJS.Timeout[] = []
  let isLate = false
  const tooLate = (): JobFailure => new JobFailure('timeout', `took longer than ${limitMs} ms`)
  const stuck = new Promise<never>((_resolve, reject) => {
    const leave = (reason: () => unknown): void => { timers.push(setTimeout(() => { reject(reason()) }, GRACE_MS)) }
    timers.push(setTimeout(() => {
      isLate = true
      abort.stop()
      leave(tooLate)
    }, limitMs))
    signal.addEventListener('abort', () => { leave(() => signal.reason) }, { once: true })
  })
  try {
    return await Promise.race([call(abort), stuck])
  } catch (error) {
    throw isLate ? tooLate() : error
  } finally {
    signal.removeEventListener('abort', abort.stop)
    for (const timer of timers) clearTimeout(timer)
  }
}
