/** A limit on the time of one call of an engine. */
import { JobFailure } from '../domain/errors.js'

/** How long a call may take to stop after it was asked to. After that it is left alone. */
const GRACE_MS = 1000

/**
 * Runs `call` with a signal that aborts with `signal` or after `limitMs`. Rejects as `call` does; with `JobFailure` timeout when the time
 * is up, also if `call` does not stop then. When `signal` aborts and `call` does not stop, rejects with the reason of `signal`.
 */
export async function runWithin<T> (limitMs: number, signal: AbortSignal, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController()
  const either = AbortSignal.any([signal, late.signal])
  const timers: NodeJS.Timeout[] = []
  const tooLate = (): JobFailure => new JobFailure('timeout', `took longer than ${limitMs} ms`)
  const stuck = new Promise<never>((_resolve, reject) => {
    timers.push(setTimeout(() => { late.abort(tooLate()) }, limitMs))
    either.addEventListener('abort', () => { timers.push(setTimeout(() => { reject(either.reason) }, GRACE_MS)) }, { once: true })
  })
  try {
    return await Promise.race([call(either), stuck])
  } catch (error) {
    throw late.signal.aborted ? tooLate() : error
  } finally {
    for (const timer of timers) clearTimeout(timer)
  }
}
