/**
 * Types of the native addon (`addon.cc`).
 *
 * The addon runs whisper.cpp and its parakeet.cpp inside the process. Weights are loaded once per process and shared by all threads that
 * load the same file with the same options; each thread owns its decoding states. All calls are synchronous and slow: make them from a pool
 * thread, never from the thread that answers HTTP.
 */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** Path of the compiled addon, valid from both `src/native/` and `dist/native/`. */
const ADDON_PATH = fileURLToPath(new URL('../../build/native/stenobox.node', import.meta.url))

/** The `code` of every Error the addon throws. */
export type NativeErrorCode =
  | 'MODEL_NOT_FOUND'      // no readable file at the path
  | 'MODEL_INVALID'        // the file is not a usable model of the wanted kind
  | 'OUT_OF_MEMORY'        // weights, state or a decode step did not fit
  | 'UNKNOWN_LANGUAGE'     // not a code of whisper_lang_id
  | 'UNSUPPORTED'          // not possible with a model of this kind
  | 'CLOSED'               // the model or state was freed
  | 'INVALID_ARGUMENT'
  | 'DECODE_FAILED'        // whisper.cpp gave up; message holds its return code

/** The decoder for a model. Both kinds of file begin alike, so the caller names the kind, and a file of the other kind is refused. */
export type ModelKind = 'whisper' | 'parakeet'

export type LoadOptions = {
  /** Absent: whisper. */
  kind?: ModelKind
  /** Use a GPU backend if the build has one and a device is present. */
  gpu: boolean
  /**
   * Alignment heads for word times by dynamic time warping: a preset name of whisper.cpp ("tiny", "base.en", "large.v3" …), or pairs of
   * layer and head. Absent: no DTW.
   */
  alignmentHeads?: string | Array<[layer: number, head: number]>
}

/** A Parakeet model uses only `language` (returned unchanged), `threads`, `abort` and `onProgress`. */
export type TranscribeOptions = {
  /** A code of whisper_lang_id, such as "en". Absent: the most likely one of the first 30 s, which are encoded only once. */
  language?: string
  threads: number
  /** 1: greedy decoding. */
  beamSize: number
  /** Candidates sampled at temperatures above 0. */
  bestOf: number
  /**
   * The first temperature, 0 to 1. At 0 the most likely words are taken; above it they are sampled, with the same result for the same
   * audio.
   */
  temperature: number
  /** Step of the temperature fallback up to 1; 0 turns the fallback off. */
  temperatureStep: number
  /** Fall back when the token entropy of a long result is below this (repeat loops). */
  entropyThreshold: number
  /** Fall back when the mean log-probability is below this. */
  logProbThreshold: number
  /** No speech if the no-speech probability is above this and the log-probability threshold is not reached. */
  noSpeechThreshold: number
  /** Number of earlier text tokens the decoder may see within one call (0: none). The prompt counts too. */
  contextTokens: number
  suppressNonSpeech: boolean
  /** Text to prime the decoder with; empty for none. */
  prompt: string
  /** Names and terms to expect, in their correct spelling: at most 400, each at most 256 bytes of UTF-8. */
  terms: readonly string[]
  /** whisper.cpp decodes the audio after its last timestamp again. A remainder shorter than this is skipped. */
  minTailMs: number
  /**
   * One or two Int32 over a SharedArrayBuffer. Any value but 0 in the first stops the call within a second. The second,
   * if present, grows while the call computes.
   */
  abort?: Int32Array
  /** 0 to 100, never decreasing. */
  onProgress?: (percent: number) => void
}

/** A text token. Special and timestamp tokens are left out. */
export type NativeToken = {
  /** The token's bytes, one character per byte (latin1): a token may end inside a UTF-8 character. */
  bytes: string
  /** Milliseconds from the start of the given PCM. */
  startMs: number
  endMs: number
  /** Only with alignment heads: when the token was spoken, in ms. */
  dtwMs?: number
  probability: number
  logProbability: number
}

export type NativeSegment = {
  startMs: number
  endMs: number
  noSpeechProbability: number
  tokens: NativeToken[]
}

export type NativeTranscript = {
  /** True when the abort flag ended the call; `segments` then holds the finished ones. */
  aborted: boolean
  /** The language of decoding. Empty when the call was stopped before it was known, or when the audio was too short for a word. */
  language: string
  segments: NativeSegment[]
}

export type LanguagePosterior = { language: string, probability: number }

/** A decoding state: about 50 to 300 MB of buffers, used by one thread. */
export interface NativeState {
  /** `pcm`: 16 kHz mono in -1..1; less than 1 s is padded with silence. Any length with Whisper, up to 49.99 s with Parakeet. Throws. */
  transcribe (pcm: Float32Array, options: TranscribeOptions): NativeTranscript
  /**
   * Probabilities of all known languages over the first 30 s, most likely first; they sum to 1. Empty when the call was stopped.
   * English-only models return 1 for "en". Throws UNSUPPORTED with Parakeet.
   */
  detectLanguage (pcm: Float32Array, options: Pick<TranscribeOptions, 'threads' | 'abort'>): LanguagePosterior[]
  free (): void
}

export interface NativeModel {
  /** `multilingual`: the model accepts and detects several languages; false with Parakeet. */
  readonly info: { type: string, multilingual: boolean, layers: number, mels: number, backend: string }
  /** Throws OUT_OF_MEMORY. */
  createState (): NativeState
  /** Frees this handle. The weights are freed with their last handle and last state. */
  free (): void
}

/**
 * The probability of speech in each frame of 512 samples (16 kHz mono in -1..1, whole frames). `state`: 320 numbers that carry the
 * recording from one call to the next, all 0 at its start. The next state is returned.
 */
export type SpeechDetector = (pcm: Float32Array, state: Float32Array) => { probabilities: Float32Array, state: Float32Array }

export interface NativeAddon {
  /** Version of whisper.cpp. */
  readonly version: string
  /** The build: instruction set "native" or "portable", and backends, such as "cpu", "cpu+cuda". */
  readonly build: string
  /** CPU features in use, as ggml reports them. */
  systemInfo (): string
  /** Compute devices ggml found: name, description, free and total memory in bytes. */
  devices (): Array<{ name: string, description: string, kind: 'cpu' | 'gpu', freeBytes: number, totalBytes: number }>
  /** Throws MODEL_NOT_FOUND, MODEL_INVALID, OUT_OF_MEMORY. */
  loadModel (path: string, options: LoadOptions): NativeModel
  /** Weights in memory: one entry per distinct file and options. */
  loadedModels (): Array<{ path: string, handles: number }>
  /** Creates Silero's network from weights by their original names. Throws MODEL_INVALID. */
  createSpeechDetector (tensors: Readonly<Record<string, Float32Array>>): SpeechDetector
  /** Language codes of whisper_lang_id, in the library's order. */
  languages (): string[]
  /**
   * Indexes, in order, of the codes that differ from `code` in the fewest bits: at least `wanted` if there are that many, more when several
   * are equally far. `codes`: one after the other, each as long as `code`; the first `count` are compared. Throws INVALID_ARGUMENT.
   */
  nearestCodes (codes: Uint32Array, count: number, code: Uint32Array, wanted: number): Uint32Array
  /** Raises the niceness of the calling thread, so that inference never starves the thread that answers HTTP. */
  lowerThreadPriority (nice: number): void
}

/** The part that search needs. Undefined when the addon is missing: search then compares codes in JavaScript, several times more slowly. */
export function loadCodeScan (path: string = ADDON_PATH): NativeAddon['nearestCodes'] | undefined {
  try {
    return loadAddon(path).nearestCodes
  } catch {
    return undefined
  }
}

/** Loads the compiled addon. If it is missing, throws an Error that says how to build it. */
export function loadAddon (path: string = ADDON_PATH): NativeAddon {
  try {
    return createRequire(import.meta.url)(path) as NativeAddon
  } catch (cause) {
    throw new Error('The speech library could not be loaded. Build it with: node scripts/setup.mjs --force-native', { cause })
  }
}
