/** Pools of worker threads for native inference. */
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { SpeechError } from '../../domain/speech-error.js'
import { forbidTelemetry } from '../process.js'
import type { DetectorTasks, SpeakerModelTasks, SpeakerTasks, WorkerResult, WorkerTasks } from '../../workers/protocol.js'

/** The tasks of one kind of thread, with their input and output. */
type Tasks = Record<string, { input: unknown, output: unknown }>

/** How many threads stay when there is no work, and after how many milliseconds without work the others end. */
type IdleThreads = { minThreads: number, idleTimeout: number }

/**
 * A fixed set of threads, unless `idle` says otherwise. Never abort a task through piscina: it ends the thread during native work, which
 * has crashed the whole process. Stop work through the shared flag in its input.
 */
export function createPool<T extends Tasks> (
  file: string, threads: number, idle: IdleThreads = { minThreads: threads, idleTimeout: Infinity }
) {
  forbidTelemetry()
  const piscina = new Piscina({
    filename: fileURLToPath(new URL(file, import.meta.url)),
    ...idle,
    maxThreads: threads,
    concurrentTasksPerWorker: 1,
    // Waiting on atomics would block the event loop of an idle thread.
    atomics: 'disabled',
    // Threads read no configuration.
    env: {},
    // Enough for the PCM and results of a few windows. Weights and states are outside the JavaScript heap.
    resourceLimits: { maxOldGenerationSizeMb: 256 }
  })
  return {
    threads,
    /** Runs a task. Rejects with `SpeechError`. */
    async run<N extends keyof T & string> (name: N, input: T[N]['input']): Promise<T[N]['output']> {
      const result = await piscina.run(input, { name }) as WorkerResult<T[N]['output']>
      if (!result.ok) throw new SpeechError(result.code, result.message)
      return result.value
    },
    /** Calls `listener` with what threads post outside of their tasks. */
    onPost (listener: (message: unknown) => void): void {
      piscina.on('message', listener)
    },
    /** Ends the threads. Call it when no task is running. */
    async close (): Promise<void> {
      await piscina.close({ force: false })
    }
  }
}

/** Calls `run` with a flag that is set when `signal` aborts: threads can look at the flag, but not at a signal. */
export async function withFlag<T> (signal: AbortSignal, run: (flag: Int32Array) => Promise<T>): Promise<T> {
  const flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const stop = (): void => { Atomics.store(flag, 0, 1) }
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  try {
    return await run(flag)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Threads that transcribe, one window each at a time. */
export const createSpeechPool = (threads: number) => createPool<WorkerTasks>('../../workers/speech.js', threads)

/** Threads that detect speech. */
export const createDetectorPool = (threads: number) => createPool<DetectorTasks>('../../workers/speech-detection.js', threads)

/** The thread that tells speakers apart. */
export const createSpeakerPool = () => createPool<SpeakerTasks>('../../workers/speakers.js', 1)
export type SpeakerPool = ReturnType<typeof createSpeakerPool>

/** How long the thread of the pulled speaker models stays without work. Loading them takes a fifth of a second. */
const SPEAKER_MODELS_IDLE_MS = 60_000

/** The thread that runs pulled speaker models. */
export const createSpeakerModelPool = () =>
  createPool<SpeakerModelTasks>('../../workers/speaker-models.js', 1, { minThreads: 0, idleTimeout: SPEAKER_MODELS_IDLE_MS })
export type SpeakerModelPool = ReturnType<typeof createSpeakerModelPool>
