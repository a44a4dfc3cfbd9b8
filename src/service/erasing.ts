/** After deletions, clears the text that is left in unallocated space of the database. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../domain/log.js'
import type { Erasure } from '../store/erasure.js'

/** Between stretches, so that requests are answered; also how soon a busy database is tried again. */
const PAUSE_MS = 50
/** From a deletion to the pass over the file, so that many deletions in a row share one pass. */
const GATHER_MS = 1000
/** The rest after a pass, as a multiple of its duration. A pass rewrites the full-text index and reads the whole file. */
const REST = 4
/** A reader that keeps the database busy for this many tries in a row is a backup or a hung program; the next sweep tries again. */
const MAX_BUSY = 200

type Deps = {
  erasure: Pick<Erasure, 'findPending' | 'setCleared' | 'mergeTerms' | 'clear' | 'truncateLog'>
  log: Pick<Log, 'info' | 'warn' | 'error'>
  pause?: (ms: number, signal: AbortSignal) => Promise<unknown>
  /** A monotonic clock in ms. */
  now?: () => number
}

const pauseFor = async (ms: number, signal: AbortSignal): Promise<unknown> => await sleep(ms, undefined, { signal })

export function createErasing ({ erasure, log, pause = pauseFor, now = () => performance.now() }: Deps) {
  const controller = new AbortController()
  const { signal } = controller
  let running: Promise<void> | undefined
  let isRequested = false
  let restsUntil = -Infinity

  /** Removes the terms of deleted passages from the full-text index. False when the database was busy for too long. */
  async function mergeAll (): Promise<boolean> {
    let busy = 0
    for (let step: 'begin' | 'continue' = 'begin'; ;) {
      const part = erasure.mergeTerms(step)
      if (part === 'done') return true
      busy = part === 'busy' ? busy + 1 : 0
      if (busy > MAX_BUSY) return false
      if (part === 'more') step = 'continue'
      await pause(PAUSE_MS, signal)
    }
  }

  /** One pass over the whole file. False when the database was busy for too long. */
  async function clearAll (): Promise<boolean> {
    let busy = 0
    for (let next: number | undefined = 1; next !== undefined;) {
      const stretch = erasure.clear(next)
      busy = stretch === 'busy' ? busy + 1 : 0
      if (busy > MAX_BUSY) return false
      if (stretch !== 'busy') next = stretch.next
      if (next !== undefined) await pause(PAUSE_MS, signal)
    }
    return true
  }

  async function clearPending (): Promise<void> {
    const pending = erasure.findPending()
    if (pending === undefined) return
    const begunAt = now()
    if (!await mergeAll() || !await clearAll()) {
      log.warn({}, 'deleted text could not be cleared from the database yet, because another program keeps reading it')
      return
    }
    erasure.setCleared(pending)
    erasure.truncateLog()
    log.info({}, 'deleted text was cleared from the database')
    restsUntil = now() + REST * (now() - begunAt)
    if (erasure.findPending() !== undefined) request()
  }

  /** Clears what is pending. Resolves at the end of the pass that is running, or of a new one. */
  async function sweep (): Promise<void> {
    running ??= clearPending().finally(() => { running = undefined })
    await running.catch((error: unknown) => { if (!signal.aborted) throw error })
  }

  async function clearLater (): Promise<void> {
    await pause(GATHER_MS, signal)
    for (let at = now(); at < restsUntil; at = now()) await pause(restsUntil - at, signal)
    isRequested = false
    await sweep()
  }

  /** Call it after a deletion. The text is cleared in the background, within seconds or after the rest that follows the last pass. */
  function request (): void {
    if (isRequested) return
    isRequested = true
    clearLater().catch((error: unknown) => {
      isRequested = false
      if (!signal.aborted) log.error({ err: error }, 'deleted text could not be cleared from the database; the next sweep tries again')
    })
  }

  return {
    sweep,
    request,
    /** Stops clearing; the next start resumes. Resolves when nothing touches the database any more. */
    async stop (): Promise<void> {
      controller.abort(new Error('stopping'))
      await running?.catch(() => {})
    }
  }
}
