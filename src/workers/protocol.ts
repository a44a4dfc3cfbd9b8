/** Messages between the main thread and the pools. Types only; all values survive structured clone. */
import type { ArtifactDraft, ArtifactMode } from '../domain/artifact.js'
import type { PlainSource } from '../domain/extractive/analysis.js'
import type { LanguagePosterior } from '../domain/language.js'
import type { SpeakerEvidence } from '../domain/speaker-turns.js'
import type { SpeakerTurn } from '../domain/speaker.js'
import type { SpeechErrorCode } from '../domain/speech-error.js'
import type { LinkageRules } from '../domain/voice-linkage.js'
import type { AudioSpan } from '../domain/windows.js'
import type { DecodedSegment } from '../domain/words.js'
import type { LoadOptions, ModelKind, TranscribeOptions } from '../native/addon.js'

/** The weights to use and how to load them. */
export type ModelChoice = {
  path: string
  kind: ModelKind
  gpu: boolean
  alignmentHeads: LoadOptions['alignmentHeads'] | undefined
}

/** Decoding options that qualities and models set. */
export type DecodingOptions = Pick<
  TranscribeOptions,
  | 'beamSize'
  | 'bestOf'
  | 'temperature'
  | 'temperatureStep'
  | 'entropyThreshold'
  | 'logProbThreshold'
  | 'noSpeechThreshold'
  | 'contextTokens'
  | 'suppressNonSpeech'
>

/** Samples in a file (16 kHz mono s16le): these spans, joined. */
export type AudioSource = { audioPath: string, spans: readonly AudioSpan[] }

type SpeechInput = AudioSource & {
  model: ModelChoice
  threads: number
  /** One Int32 in shared memory: any value but 0 stops the work. */
  abort: Int32Array
}

/**
 * `language`: undefined to detect it for each phrase. `prior`: language probabilities of the whole recording; empty when unknown.
 * `languages`: those the model knows; undefined for all.
 */
export type TranscribeInput = SpeechInput & {
  language: string | undefined
  prior: readonly LanguagePosterior[]
  languages: readonly string[] | undefined
  prompt: string
  /** Names and words to prefer where they sound plausible. */
  terms: readonly string[]
  decoding: DecodingOptions
}
/** Segments in ms from the start of the window, and the language of most of it. */
export type TranscribeOutput = { segments: DecodedSegment[], language: string }
export type DetectInput = SpeechInput
export type DetectOutput = { posteriors: LanguagePosterior[] }

/**
 * `state`: carried from one piece of a recording to the next; undefined at the start. Pieces are whole frames of 512 samples; the last one
 * is padded with silence. `leadFrames`: frames at the start that belong to the previous piece; they only warm up the fresh detector.
 */
export type DetectSpeechInput = AudioSource & { state: Float32Array | undefined, leadFrames: number }
/** One value for each frame of the piece, without the lead. `DetectedFrame` explains them. */
export type DetectSpeechOutput = {
  probabilities: Float32Array, freshProbabilities: Float32Array, levelsDb: Float32Array, state: Float32Array
}

/** What a speech thread posts after it has loaded a model: the files of all models that it holds. */
export type HeldModels = { threadId: number, paths: string[] }

export type LibraryFacts = {
  version: string
  build: string
  systemInfo: string
  devices: Array<{ description: string, kind: 'cpu' | 'gpu', totalBytes: number }>
}

export type WorkerTasks = {
  transcribe: { input: TranscribeInput, output: TranscribeOutput }
  detectLanguage: { input: DetectInput, output: DetectOutput }
  /** Describes the speech library and its devices. */
  describe: { input: null, output: LibraryFacts }
  /** Loads the model before the first window needs it. */
  warmUp: { input: { model: ModelChoice }, output: null }
}

/** Voice activity detection has its own thread, so that cutting a recording into windows never waits for decoding. */
export type DetectorTasks = {
  /** Loads the detector; fails with the reason if it cannot. */
  prepareDetector: { input: null, output: null }
  detectSpeech: { input: DetectSpeechInput, output: DetectSpeechOutput }
}

/** An embedding model in the layout of Transformers.js. `folder`: absolute. */
export type EmbeddingChoice = { folder: string, dtype: 'q8' | 'fp32', maxTokens: number, dimensions: number }
export type CountTokensInput = { model: EmbeddingChoice, texts: readonly string[] }
/** Without special tokens. */
export type CountTokensOutput = { counts: number[] }
export type EmbedInput = { model: EmbeddingChoice, text: string }
/** Of length 1. */
export type EmbedOutput = { vector: Float32Array }

/** The embedder has its own thread, so that a search never waits for speech recognition. */
export type EmbeddingTasks = {
  countTokens: { input: CountTokensInput, output: CountTokensOutput }
  embed: { input: EmbedInput, output: EmbedOutput }
}

/** The files that voice prints are made with. */
export type SpeakerFiles = {
  modelPath: string
  /** A square matrix of float32, row by row. */
  whiteningPath: string
}
/** A piece of a recording in ms. `abort`: as for transcription. */
export type ObserveSpeakersInput = SpeakerFiles & { audioPath: string, startMs: number, endMs: number, abort: Int32Array }
/** `abort`: as for transcription. */
export type FindTurnsInput = SpeakerEvidence & { abort: Int32Array }

/** Speakers have their own thread, so that telling them apart takes no slot of a window. */
export type SpeakerTasks = {
  prepareSpeakers: { input: SpeakerFiles, output: undefined }
  observeSpeakers: { input: ObserveSpeakersInput, output: Uint8Array }
  findTurns: { input: FindTurnsInput, output: SpeakerTurn[] }
}

/** The kinds of pulled speaker models. */
export type SpeakerModelKind = 'speaker-segmentation' | 'speaker-embedding'
/** `key`: identifies the contents of both files; another key loads them again. */
export type SpeakerModelFiles = { segmentationPath: string, embeddingPath: string, key: string }
export type ObserveSegmentsInput = SpeakerModelFiles & { audioPath: string, startMs: number, endMs: number, abort: Int32Array }
export type FindSegmentTurnsInput = SpeakerEvidence & { rules: LinkageRules, abort: Int32Array }

/** Speakers by pulled models, on a thread that ends when it is idle, which frees their weights. */
export type SpeakerModelTasks = {
  prepareSpeakerModels: { input: SpeakerModelFiles, output: undefined }
  inspectSpeakerModel: { input: { path: string }, output: SpeakerModelKind }
  observeSegments: { input: ObserveSegmentsInput, output: Uint8Array }
  linkSegments: { input: FindSegmentTurnsInput, output: SpeakerTurn[] }
}

export type ExtractInput = { mode: ArtifactMode, source: PlainSource }
export type ExtractOutput = { draft: ArtifactDraft }

/** Artifacts are made on their own thread, so that long transcripts do not block requests. */
export type ExtractiveTasks = {
  extractArtifact: { input: ExtractInput, output: ExtractOutput }
}

/** Errors are sent as data: structured clone drops an Error's class, name and code. */
export type WorkerResult<T> =
  | { ok: true, value: T }
  | { ok: false, code: SpeechErrorCode, message: string }
