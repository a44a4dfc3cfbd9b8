/** The thread that reads the library for searches. */
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { LibraryFinding, LibraryReader } from '../domain/library-search.js'

/** The thread ends after this long without a search, which frees the memory of the codes. */
const IDLE_MS = 30 * 60_000

/** `threads`: how many there are, 0 or 1. */
export type LibraryPool = LibraryReader & { threads (): number, close (): Promise<void> }

/**
 * One thread: it holds the codes of all vectors in memory, and a search takes milliseconds. It begins with the first search, and ends after
 * `idleMs` without one.
 */
export function createLibraryPool (dataDir: string, idleMs: number = IDLE_MS): LibraryPool {
  const piscina = new Piscina({
    filename: fileURLToPath(new URL('./library-thread.js', import.meta.url)),
    minThreads: 0,
    maxThreads: 1,
    concurrentTasksPerWorker: 1,
    // Waiting on atomics would block the event loop of an idle thread.
    atomics: 'disabled',
    idleTimeout: idleMs,
    env: {}
  })
  return {
    listModels: async () => await piscina.run({ dataDir }, { name: 'listModels' }) as string[],
    find: async (query) => await piscina.run({ dataDir, query }, { name: 'find' }) as LibraryFinding,
    threads: () => piscina.threads.length,
    close: async () => { await piscina.close({ force: false }) }
  }
}
