/** The thread that reads the library for searches. */
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { LibraryFinding, LibraryReader } from '../domain/library-search.js'

/** One thread: it holds the codes of all vectors in memory, and a search takes milliseconds. It begins with the first search. */
export function createLibraryPool (dataDir: string): LibraryReader & { close (): Promise<void> } {
  const piscina = new Piscina({
    filename: fileURLToPath(new URL('./library-thread.js', import.meta.url)),
    minThreads: 0,
    maxThreads: 1,
    concurrentTasksPerWorker: 1,
    // Waiting on atomics would block the event loop of an idle thread.
    atomics: 'disabled',
    idleTimeout: Infinity,
    env: {}
  })
  return {
    listModels: async () => await piscina.run({ dataDir }, { name: 'listModels' }) as string[],
    find: async (query) => await piscina.run({ dataDir, query }, { name: 'find' }) as LibraryFinding,
    close: async () => { await piscina.close({ force: false }) }
  }
}
