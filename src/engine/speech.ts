/** Speech recognition: a window goes out, words come back. Carries no state of a job, so that windows may run anywhere. */
import type { LanguagePosterior } from '../domain/language.js'
import type { SttQuality } from '../domain/job.js'
import type { AudioSource, DetectSpeechInput, DetectSpeechOutput, LibraryFacts, TranscribeOutput, WorkerTasks } from '../workers/protocol.js'
import type { ChosenModel, Models } from './models.js'
import { PoolError } from './pool.js'
import type { DetectorPool, SpeechPool } from './pool.js'

/** Stops the window it was given to; the call rejects with code `aborted` within about a second. */
export type Abort = { readonly flag: Int32Array, stop (): void }

export function createAbort (): Abort {
  const flag = new Int32Array(new SharedArrayBuffer(4))
  return { flag, stop: () => { Atomics.store(flag, 0, 1) } }
}

/** Tasks that need a model. */
type ModelTask = 'transcribe' | 'detectLanguage' | 'warmUp'

type Deps = { pool: SpeechPool, detector: DetectorPool, models: Models, gpu: boolean, threadsPerWorker: number }

export function createSpeechEngine ({ pool, detector, models, gpu, threadsPerWorker }: Deps) {
  /** What each quality was last served with: weights in memory outlive their file, and are better than none. */
  const served = new Map<SttQuality, ChosenModel>()

  function choose (quality: SttQuality): ChosenModel {
    const model = models.choose(quality) ?? served.get(quality)
    if (!model) throw new PoolError('model_unavailable', 'no speech model is installed')
    return model
  }

  /** Runs a task with the model of a quality. A model that cannot be loaded is passed over by the next call. */
  async function runWith<T extends ModelTask> (name: T, quality: SttQuality, input: (model: ChosenModel) => WorkerTasks[T]['input']): Promise<WorkerTasks[T]['output']> {
    const model = choose(quality)
    try {
      const output = await pool.run(name, input(model))
      served.set(quality, model)
      return output
    } catch (error) {
      if (error instanceof PoolError && error.code === 'model_unavailable') {
        models.markUnusable(model.path)
        served.delete(quality)
      }
      throw error
    }
  }

  return {
    /** How many windows may run at once. */
    slots: pool.threads,
    /** Whether a model is left that the quality may be tried with. */
    hasModel: (quality: SttQuality): boolean => (models.choose(quality) ?? served.get(quality)) !== undefined,
    /** Segments in ms from the start of the window; without a language, the most likely one of the window is taken. Rejects with `PoolError`. */
    async transcribe (source: AudioSource, job: { quality: SttQuality, language: string | undefined, prompt: string }, abort: Abort): Promise<TranscribeOutput> {
      return await runWith('transcribe', job.quality, ({ path, alignmentHeads, decoding }) => ({
        ...source, model: { path, gpu, alignmentHeads }, threads: threadsPerWorker, language: job.language, prompt: job.prompt, decoding, abort: abort.flag
      }))
    },
    /** How likely each language is in this window. Rejects with `PoolError`. */
    async detectLanguage (source: AudioSource, job: { quality: SttQuality }, abort: Abort): Promise<LanguagePosterior[]> {
      const output = await runWith('detectLanguage', job.quality, ({ path, alignmentHeads }) => ({ ...source, model: { path, gpu, alignmentHeads }, threads: threadsPerWorker, abort: abort.flag }))
      return output.posteriors
    },
    /** How likely someone speaks, for each 32 ms of a piece of a recording. Rejects with `PoolError`. */
    detectSpeech: async (input: DetectSpeechInput): Promise<DetectSpeechOutput> => await detector.run('detectSpeech', input),
    /** What the speech library is and what it found. Rejects with `PoolError`. */
    describe: async (): Promise<LibraryFacts> => await pool.run('describe', null),
    /** Loads the weights of the default quality on every thread, so that the first window does not wait for them. */
    async warmUp (): Promise<void> {
      await Promise.all(Array.from({ length: pool.threads }, async () => await runWith('warmUp', 'balanced', ({ path, alignmentHeads }) => ({ model: { path, gpu, alignmentHeads } }))))
    }
  }
}
export type SpeechEngine = ReturnType<typeof createSpeechEngine>
