/** The worker-thread pool for native inference. */
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { WorkerErrorCode, WorkerResult, WorkerTasks } from '../workers/protocol.js'

const WORKER_FILE = fileURLToPath(new URL('../workers/speech.js', import.meta.url))

/** A task that failed on its thread, under the code its worker gave. */
export class PoolError extends Error {
  override readonly name = 'PoolError'
  readonly code: WorkerErrorCode

  constructor (code: WorkerErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * A fixed set of threads. Never abort a task through piscina: it ends the thread in the middle of native work, which
 * has been seen to take the whole process down. Work stops through the shared flag it was given.
 */
export function createPool (threads: number) {
  const piscina = new Piscina({
    filename: WORKER_FILE,
    minThreads: threads,
    maxThreads: threads,
    concurrentTasksPerWorker: 1,
    // Waiting on atomics would block a thread's own event loop while it idles.
    atomics: 'disabled',
    idleTimeout: Infinity,
    // Threads read no configuration.
    env: {},
    // Enough for PCM and results of a few windows; weights and states live outside the JavaScript heap.
    resourceLimits: { maxOldGenerationSizeMb: 256 }
  })
  return {
    threads,
    /** Runs a task. Rejects with `PoolError`. */
    async run<T extends keyof WorkerTasks> (name: T, input: WorkerTasks[T]['input']): Promise<WorkerTasks[T]['output']> {
      const result = await piscina.run(input, { name }) as WorkerResult<WorkerTasks[T]['output']>
      if (!result.ok) throw new PoolError(result.code, result.message)
      return result.value
    },
    /** Ends the threads; call it when no task is running. */
    async close (): Promise<void> {
      await piscina.close({ force: false })
    }
  }
}
export type Pool = ReturnType<typeof createPool>
