/** Messages between the main thread and the pool. Types only: plain data that survives structured clone. */
import type { LanguagePosterior } from '../domain/language.js'
import type { AudioSpan } from '../domain/windows.js'
import type { DecodedSegment } from '../domain/words.js'
import type { LoadOptions, ModelKind, TranscribeOptions } from '../native/addon.js'

/** Which weights, and how they are held in memory. */
export type ModelChoice = {
  path: string
  kind: ModelKind
  gpu: boolean
  alignmentHeads: LoadOptions['alignmentHeads'] | undefined
}

/** How to decode: what a quality and a model decide of the addon's options. */
export type DecodingOptions = Pick<TranscribeOptions,
  'beamSize' | 'bestOf' | 'temperature' | 'temperatureStep' | 'entropyThreshold' | 'logProbThreshold' | 'noSpeechThreshold' | 'contextTokens' | 'suppressNonSpeech'>

/** Where samples are: 16 kHz mono s16le in a file, these spans of it one after the other. */
export type AudioSource = { audioPath: string, spans: readonly AudioSpan[] }

type SpeechInput = AudioSource & {
  model: ModelChoice
  threads: number
  /** One Int32 over shared memory: anything but 0 stops the work. */
  abort: Int32Array
}

/**
 * `language` undefined: found out for each phrase of the window. `prior`: what is known of the whole recording; empty when nothing is.
 * `languages`: those the model knows; undefined for all.
 */
export type TranscribeInput = SpeechInput & {
  language: string | undefined
  prior: readonly LanguagePosterior[]
  languages: readonly string[] | undefined
  prompt: string
  /** Names and words that are preferred where they sound plausible. */
  terms: readonly string[]
  decoding: DecodingOptions
}
/** Segments in ms from the start of the window, and the language of the longest part of it. */
export type TranscribeOutput = { segments: DecodedSegment[], language: string }
export type DetectInput = SpeechInput
export type DetectOutput = { posteriors: LanguagePosterior[] }

/**
 * `state`: what the detector carries from one piece of a recording to the next, `undefined` at its start. Pieces hold whole frames of 512
 * samples; the last one is filled up with silence. `leadFrames`: how many frames at the beginning belong to the piece before. They only
 * warm up the detector that starts afresh with every piece.
 */
export type DetectSpeechInput = AudioSource & { state: Float32Array | undefined, leadFrames: number }
/** Per frame of the piece, without its lead; `DetectedFrame` says what each figure is. */
export type DetectSpeechOutput = {
  probabilities: Float32Array, freshProbabilities: Float32Array, levelsDb: Float32Array, state: Float32Array
}

export type LibraryFacts = {
  version: string
  build: string
  systemInfo: string
  devices: Array<{ description: string, kind: 'cpu' | 'gpu', totalBytes: number }>
}

export type WorkerTasks = {
  transcribe: { input: TranscribeInput, output: TranscribeOutput }
  detectLanguage: { input: DetectInput, output: DetectOutput }
  /** What the speech library is and what it found. */
  describe: { input: null, output: LibraryFacts }
  /** Loads the model, so that the first window does not wait for it. */
  warmUp: { input: { model: ModelChoice }, output: null }
}

/** Voice activity has a thread of its own, so that cutting a recording into windows never waits for windows. */
export type DetectorTasks = {
  /** Loads the detector, or says why it cannot be. */
  prepareDetector: { input: null, output: null }
  detectSpeech: { input: DetectSpeechInput, output: DetectSpeechOutput }
}

export type WorkerErrorCode = 'aborted' | 'audio_missing' | 'model_unavailable' | 'out_of_memory' | 'internal_error'

/** Errors travel as data: structured clone drops an Error's class, name and code. */
export type WorkerResult<T> =
  | { ok: true, value: T }
  | { ok: false, code: WorkerErrorCode, message: string }
