/** Speech recognition: takes a window, returns words. It keeps no state between windows of a job, so they may run on any thread. */
import { voteLanguage } from '../../domain/language.js'
import type { LanguagePosterior } from '../../domain/language.js'
import type { SttQuality } from '../../domain/job.js'
import { SpeechError } from '../../domain/speech-error.js'
import type {
  AudioSource,
  DetectSpeechInput,
  DetectSpeechOutput,
  LibraryFacts,
  ModelChoice,
  TranscribeOutput,
  WorkerTasks
} from '../../workers/protocol.js'
import type { ChosenModel, Models } from '../models/models.js'
import type { InferenceHelper, Sent } from './helper.js'

/** `isStarter`: the starter model produced it. */
export type Transcribed = TranscribeOutput & { isStarter: boolean }

/** How often speech detection is tried when its process ends. Windows are not retried here: their caller gives them back. */
const DETECTION_ATTEMPTS = 10

async function retryCrashes<T> (run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof SpeechError && error.code === 'worker_crashed') || attempt === DETECTION_ATTEMPTS) throw error
    }
  }
}

/** Tasks that need a model. */
type ModelTask = 'transcribe' | 'detectLanguage' | 'warmUp'

/** What the job asks for, and what is known about its recording. */
export type WindowJob = {
  quality: SttQuality
  language: string | undefined
  prior: readonly LanguagePosterior[]
  prompt: string
  terms: readonly string[]
}

type Deps = {
  pool: InferenceHelper['speech']
  detector: InferenceHelper['detector']
  heldModels: InferenceHelper['heldModels']
  models: Models
  gpu: boolean
  threadsPerWorker: number
  /** Makes room for speech when memory runs out. Returns whether there was something to give up. */
  freeMemory?: () => Promise<boolean>
}

export function createSpeechEngine (
  { pool, detector, heldModels, models, gpu, threadsPerWorker, freeMemory = async () => false }: Deps
) {
  /** The names of files that were used. A file in memory may have left the list of models. */
  const names = new Map<string, string>()
  /** The model last used for each quality. If its file is deleted, the weights in memory are still used. */
  const served = new Map<SttQuality, ChosenModel>()
  /** The same for the language detector that helps Parakeet. */
  const servedLanguages: typeof served = new Map()

  function choose (quality: SttQuality, language?: string): ChosenModel | undefined {
    const last = served.get(quality)
    const isFit = !language || !last?.languages || last.isStarter || last.languages.includes(language)
    return models.choose(quality, language) ?? (isFit ? last : undefined)
  }

  /** Runs a task with a model. A model that cannot be loaded is skipped by later calls. */
  async function runWith<T extends ModelTask> (
    name: T,
    quality: SttQuality,
    model: ChosenModel | undefined,
    input: (choice: ModelChoice, model: ChosenModel) => Sent<WorkerTasks[T]['input']>,
    { signal, memory = served }: { signal?: AbortSignal, memory?: typeof served } = {}
  ): Promise<WorkerTasks[T]['output']> {
    if (!model) throw new SpeechError('model_unavailable', 'no speech model is installed')
    names.set(model.path, model.name)
    const run = async (): Promise<WorkerTasks[T]['output']> =>
      await pool.run(name, input({ path: model.path, kind: model.kind, gpu, alignmentHeads: model.alignmentHeads }, model), signal)
    try {
      const output = await run().catch(async (error: unknown) => {
        if (error instanceof SpeechError && error.code === 'out_of_memory' && await freeMemory()) return await run()
        throw error
      })
      memory.set(quality, model)
      return output
    } catch (error) {
      if (error instanceof SpeechError && error.code === 'model_unavailable') {
        models.markUnusable(model.path)
        memory.delete(quality)
      }
      throw error
    }
  }

  /** The probability of each language in this window. */
  async function detect (source: AudioSource, quality: SttQuality, signal: AbortSignal): Promise<LanguagePosterior[]> {
    const wanted = choose(quality)
    const isUnable = wanted?.kind === 'parakeet'
    const able = isUnable ? models.chooseLanguageDetector(quality) ?? servedLanguages.get(quality) : wanted
    const input = (model: ModelChoice) => ({ ...source, model, threads: threadsPerWorker })
    const memory = isUnable ? servedLanguages : served
    const { posteriors } = await runWith('detectLanguage', quality, able, input, { signal, memory })
    return posteriors
  }

  return {
    /** The number of windows that may run at once. */
    slots: pool.threads,
    /** True when there is still a model to try for this quality. */
    hasModel: (quality: SttQuality): boolean => choose(quality) !== undefined,
    /**
     * Transcribes a window into segments, in ms from its start. Without `language`, the language of each phrase is detected; `prior` holds
     * the result of samples from the recording, most likely first. Rejects with `SpeechError`.
     */
    async transcribe (source: AudioSource, job: WindowJob, signal: AbortSignal): Promise<Transcribed> {
      const { quality, language, prior, prompt, terms } = job
      // Whisper detects languages while it decodes. Parakeet, and models added for some languages, must be chosen by language.
      const isLanguageSettled = language !== undefined || prior.length > 0 || !models.needsLanguage(quality)
      const detected = isLanguageSettled ? undefined : voteLanguage([await detect(source, quality, signal)])
      const known = language ?? detected ?? prior[0]?.language
      const chosen = choose(quality, known)
      const output = await runWith('transcribe', quality, chosen, (model, { kind, languages, decoding }) => ({
        ...source, model, threads: threadsPerWorker, language: kind === 'parakeet' ? known : language ?? detected,
        prior, languages, prompt, terms, decoding
      }), { signal })
      return { ...output, isStarter: chosen?.isStarter === true }
    },
    /** The probability of each language in this window. Rejects with `SpeechError`. */
    async detectLanguage (source: AudioSource, job: { quality: SttQuality }, signal: AbortSignal): Promise<LanguagePosterior[]> {
      return await detect(source, job.quality, signal)
    },
    /** Loads the voice activity detector. Rejects with a `SpeechError` that says why it cannot be loaded. */
    prepareDetector: async (): Promise<void> => { await retryCrashes(async () => await detector.run('prepareDetector', null)) },
    /** The probability of speech for each 32 ms of a piece of a recording. Rejects with `SpeechError`. */
    detectSpeech: async (input: DetectSpeechInput): Promise<DetectSpeechOutput> =>
      await retryCrashes(async () => await detector.run('detectSpeech', input)),
    /** The names of the models that are in memory now. */
    listLoaded: (): string[] => heldModels().flatMap((path) => names.get(path) ?? []),
    /** The version and devices of the speech library. Rejects with `SpeechError`. */
    describe: async (): Promise<LibraryFacts> => await pool.run('describe', null),
    /** Loads the weights of the default quality on every thread before the first window needs them. */
    async warmUp (): Promise<void> {
      await Promise.all(
        Array.from({ length: pool.threads }, async () => await runWith('warmUp', 'balanced', choose('balanced'), (model) => ({ model })))
      )
    }
  }
}
export type SpeechEngine = ReturnType<typeof createSpeechEngine>
