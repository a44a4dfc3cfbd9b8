/** Waits for the lock of the models directory while another process has it. */
import { setTimeout as wait } from 'node:timers/promises'
import { BusyError } from '../domain/model-error.js'
import type { Watcher } from './model-library.js'

const BUSY_PAUSE_MS = 1000

/**
 * Fetches a model as soon as no other process has the lock: a command of an earlier, killed set-up may still be running. Rejects when the
 * signal of the watcher aborts.
 */
export async function pullWhenUnlocked (
  pull: (names: string[], watcher: Watcher) => Promise<void>, name: string, watcher: Watcher
): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await pull([name], watcher)
    } catch (error) {
      if (!(error instanceof BusyError)) throw error
      if (isFirst) watcher.note('another process is writing to the models directory; waiting for it')
      await wait(BUSY_PAUSE_MS, undefined, { signal: watcher.signal })
    }
  }
}
