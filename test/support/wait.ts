/** Waits for another program or thread. The limit catches hangs: it counts from the last sign of progress, not from the start. */
import { setTimeout as sleep } from 'node:timers/promises'

/** On a busy machine a window of the starter model takes seconds. A test that saw nothing change for this long would wait forever. */
const STALLED_MS = 120_000

export type WaitOptions = {
  everyMs?: number
  stalledMs?: number
  /** What has been done so far, as a value that changes; absent: there is no progress before the end. */
  progress?: () => unknown
}

/**
 * Asks every few ms until the answer is neither false nor undefined, and returns it. Throws an Error with `what` when nothing
 * changes for two minutes.
 */
export async function waitFor<T> (
  what: string, ask: () => T | false | undefined | Promise<T | false | undefined>,
  { everyMs = 10, stalledMs = STALLED_MS, progress }: WaitOptions = {}
): Promise<T> {
  let seen: string | undefined
  for (let changedMs = performance.now(); ;) {
    const answer = await ask()
    if (answer !== false && answer !== undefined) return answer
    const now = JSON.stringify(progress?.())
    if (now !== seen) changedMs = performance.now()
    seen = now
    if (performance.now() - changedMs > stalledMs) {
      const after = now === undefined ? '' : ` after ${now}`
      throw new Error(`waited for ${what}; nothing changed for ${stalledMs / 1000} s${after}`)
    }
    await sleep(everyMs)
  }
}
