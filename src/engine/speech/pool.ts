/** The worker-thread pool for native inference. */
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { DetectorTasks, WorkerErrorCode, WorkerResult, WorkerTasks } from '../../workers/protocol.js'

/** The tasks of one kind of thread: what goes in, what comes out. */
type Tasks = Record<string, { input: unknown, output: unknown }>

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
function createPool<T extends Tasks> (file: string, threads: number) {
  const piscina = new Piscina({
    filename: fileURLToPath(new URL(file, import.meta.url)),
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
    async run<N extends keyof T & string> (name: N, input: T[N]['input']): Promise<T[N]['output']> {
      const result = await piscina.run(input, { name }) as WorkerResult<T[N]['output']>
      if (!result.ok) throw new PoolError(result.code, result.message)
      return result.value
    },
    /** Ends the threads; call it when no task is running. */
    async close (): Promise<void> {
      await piscina.close({ force: false })
    }
  }
}

/** Threads that recognise speech: one window each at a time. */
export const createSpeechPool = (threads: number) => createPool<WorkerTasks>('../../workers/speech.js', threads)
export type SpeechPool = ReturnType<typeof createSpeechPool>

/** The thread that tells speech from everything else. */
export const createDetectorPool = () => createPool<DetectorTasks>('../../workers/speech-detection.js', 1)
export type DetectorPool = ReturnType<typeof createDetectorPool>
