/** What the tasks of all worker threads share: thrown errors become data, and a task can be stopped. */
import { errorCode } from '../domain/errors.js'
import { SpeechError } from '../domain/speech-error.js'
import type { SpeechErrorCode } from '../domain/speech-error.js'
import type { NativeErrorCode } from '../native/addon.js'
import type { WorkerResult } from './protocol.js'

/** Inference runs at lower priority than the thread that answers HTTP. */
export const NICE = 10

const NATIVE_CODES: Readonly<Partial<Record<NativeErrorCode, SpeechErrorCode>>> = {
  MODEL_NOT_FOUND: 'model_unavailable',
  MODEL_INVALID: 'model_unavailable',
  OUT_OF_MEMORY: 'out_of_memory'
}

function toCode (error: unknown): SpeechErrorCode {
  if (error instanceof SpeechError) return error.code
  return NATIVE_CODES[errorCode(error) as NativeErrorCode] ?? 'internal_error'
}

const toFailure = (error: unknown): WorkerResult<never> =>
  ({ ok: false, code: toCode(error), message: error instanceof Error ? error.message : String(error) })

/**
 * For work that has no native abort callback: call it between two steps. `abort`: the flags of the call; the first one stops it. Throws
 * `SpeechError`: aborted.
 */
export function stopIfAsked (abort: Int32Array): void {
  if (Atomics.load(abort, 0) !== 0) throw new SpeechError('aborted', 'stopped')
}

/** Wraps a task function for the pool so that it never throws. */
export function serve<I, O> (task: (input: I) => O): (input: I) => WorkerResult<O> {
  return (input) => {
    try {
      return { ok: true, value: task(input) }
    } catch (error) {
      return toFailure(error)
    }
  }
}

/** The same for a task that waits. */
export function serveAsync<I, O> (task: (input: I) => Promise<O>): (input: I) => Promise<WorkerResult<O>> {
  return async (input) => {
    try {
      return { ok: true, value: await task(input) }
    } catch (error) {
      return toFailure(error)
    }
  }
}
