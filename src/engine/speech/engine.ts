/** Speech recognition: a window goes out, words come back. Carries no state of a job, so that windows may run anywhere. */
import { voteLanguage } from '../../domain/language.js'
import type { LanguagePosterior } from '../../domain/language.js'
import type { SttQuality } from '../../domain/job.js'
import type { AudioSource, DetectSpeechInput, DetectSpeechOutput, LibraryFacts, ModelChoice, TranscribeOutput, WorkerTasks } from '../../workers/protocol.js'
import type { ChosenModel, Models } from '../models/models.js'
import { PoolError } from './pool.js'
import type { DetectorPool, SpeechPool } from './pool.js'

/** `isStarter`: the starter model made it. */
export type Transcribed = TranscribeOutput & { isStarter: boolean }

/** Stops the window it was given to; the call rejects with code `aborted` within about a second. */
export type Abort = { readonly flag: Int32Array, stop (): void }

export function createAbort (): Abort {
  const flag = new Int32Array(new SharedArrayBuffer(4))
  return { flag, stop: () => { Atomics.store(flag, 0, 1) } }
}

/** Tasks that need a model. */
type ModelTask = 'transcribe' | 'detectLanguage' | 'warmUp'

/** What a window's job asks for, and what is known of its recording. */
export type WindowJob = {
  quality: SttQuality
  language: string | undefined
  prior: readonly LanguagePosterior[]
  prompt: string
  terms: readonly string[]
}

type Deps = { pool: SpeechPool, detector: DetectorPool, models: Models, gpu: boolean, threadsPerWorker: number }

export function createSpeechEngine ({ pool, detector, models, gpu, threadsPerWorker }: Deps) {
  /** What each quality was last served with: weights in memory outlive their file, and are better than none. */
  const served = new Map<SttQuality, ChosenModel>()
  /** The same, of what told its languages where Parakeet cannot. */
  const servedLanguages: typeof served = new Map()

  function choose (quality: SttQuality, language?: string): ChosenModel | undefined {
    const last = served.get(quality)
    const isFit = !language || !last?.languages || last.isStarter || last.languages.includes(language)
    return models.choose(quality, language) ?? (isFit ? last : undefined)
  }

  /** Runs a task with a model. One that cannot be loaded is passed over by the next call. */
  async function runWith<T extends ModelTask> (
    name: T, quality: SttQuality, model: ChosenModel | undefined, input: (choice: ModelChoice, model: ChosenModel) => WorkerTasks[T]['input'], memory = served
  ): Promise<WorkerTasks[T]['output']> {
    if (!model) throw new PoolError('model_unavailable', 'no speech model is installed')
    try {
      const output = await pool.run(name, input({ path: model.path, kind: model.kind, gpu, alignmentHeads: model.alignmentHeads }, model))
      memory.set(quality, model)
      return output
    } catch (error) {
      if (error instanceof PoolError && error.code === 'model_unavailable') {
        models.markUnusable(model.path)
        memory.delete(quality)
      }
      throw error
    }
  }

  /** How likely each language is in this window. */
  async function detect (source: AudioSource, quality: SttQuality, abort: Abort): Promise<LanguagePosterior[]> {
    const wanted = choose(quality)
    const isUnable = wanted?.kind === 'parakeet'
    const able = isUnable ? models.chooseLanguageDetector(quality) ?? servedLanguages.get(quality) : wanted
    const input = (model: ModelChoice) => ({ ...source, model, threads: threadsPerWorker, abort: abort.flag })
    const { posteriors } = await runWith('detectLanguage', quality, able, input, isUnable ? servedLanguages : served)
    return posteriors
  }

  return {
    /** How many windows may run at once. */
    slots: pool.threads,
    /** Whether a model is left that the quality may be tried with. */
    hasModel: (quality: SttQuality): boolean => choose(quality) !== undefined,
    /**
     * Segments in ms from the start of the window. `language`: the one that was asked for; without it, each phrase's own is found out, and
     * `prior` holds what samples of the recording said, likeliest first. Rejects with `PoolError`.
     */
    async transcribe (source: AudioSource, job: WindowJob, abort: Abort): Promise<Transcribed> {
      const { quality, language, prior, prompt, terms } = job
      // Whisper finds the language out as it goes; Parakeet, and a model added for some languages, are only asked what they understand.
      const isTold = language !== undefined || prior.length > 0 || !models.needsLanguage(quality)
      const detected = isTold ? undefined : voteLanguage([await detect(source, quality, abort)])
      const known = language ?? detected ?? prior[0]?.language
      const chosen = choose(quality, known)
      const output = await runWith('transcribe', quality, chosen, (model, { kind, languages, decoding }) => ({
        ...source, model, threads: threadsPerWorker, language: kind === 'parakeet' ? known : language ?? detected,
        prior, languages, prompt, terms, decoding, abort: abort.flag
      }))
      return { ...output, isStarter: chosen?.isStarter === true }
    },
    /** How likely each language is in this window. Rejects with `PoolError`. */
    async detectLanguage (source: AudioSource, job: { quality: SttQuality }, abort: Abort): Promise<LanguagePosterior[]> {
      return await detect(source, job.quality, abort)
    },
    /** Loads the voice activity detector. Rejects with `PoolError`, and so says why it cannot be. */
    prepareDetector: async (): Promise<void> => { await detector.run('prepareDetector', null) },
    /** How likely someone speaks, for each 32 ms of a piece of a recording. Rejects with `PoolError`. */
    detectSpeech: async (input: DetectSpeechInput): Promise<DetectSpeechOutput> => await detector.run('detectSpeech', input),
    /** What the speech library is and what it found. Rejects with `PoolError`. */
    describe: async (): Promise<LibraryFacts> => await pool.run('describe', null),
    /** Loads the weights of the default quality on every thread, so that the first window does not wait for them. */
    async warmUp (): Promise<void> {
      await Promise.all(Array.from({ length: pool.threads }, async () => await runWith('warmUp', 'balanced', choose('balanced'), (model) => ({ model }))))
    }
  }
}
export type SpeechEngine = ReturnType<typeof createSpeechEngine>
