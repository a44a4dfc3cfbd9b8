/** Long work in slices, with turns for other requests between them. */
import { setImmediate as yieldToOthers } from 'node:timers/promises'

/** Other requests get a turn after so many ms. */
const SLICE_MS = 10

/** All of `items`, with turns for other requests: ten hours of words would block them for a second. Throws the reason of the signal. */
export async function collectInSlices<T> (items: Iterable<T>, signal?: AbortSignal): Promise<T[]> {
  const collected: T[] = []
  let sliceAt = performance.now()
  for (const item of items) {
    collected.push(item)
    if (performance.now() - sliceAt < SLICE_MS) continue
    await yieldToOthers()
    signal?.throwIfAborted()
    sliceAt = performance.now()
  }
  return collected
}

/** Calls `step` until it returns false, or until `ms` have passed; once at least, however busy the machine is. True: there is more. */
export function workFor (ms: number, step: () => boolean): boolean {
  const until = performance.now() + ms
  do {
    if (!step()) return false
  } while (performance.now() < until)
  return true
}
