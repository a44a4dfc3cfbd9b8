/** Reads long lists in slices, with turns for other requests between them. */
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
