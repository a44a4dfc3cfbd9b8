/**
 * The surface of the native addon (`addon.cc`), typed in one place.
 *
 * The addon runs whisper.cpp, and parakeet.cpp that comes with it, inside the process. Weights are loaded once per process and shared by every thread
 * that loads the same file with the same options; each thread owns its decoding states. All calls are
 * synchronous and long: make them from a pool thread, never from the thread that answers HTTP.
 */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** Path of the compiled addon, relative to both `src/native/` and `dist/native/`. */
export const ADDON_PATH = fileURLToPath(new URL('../../build/native/stenobox.node', import.meta.url))

/** `code` of every Error the addon throws. */
export type NativeErrorCode =
  | 'MODEL_NOT_FOUND'      // no readable file at the path
  | 'MODEL_INVALID'        // a file, but not a model of the wanted kind that this build can run
  | 'OUT_OF_MEMORY'        // weights, state or a decode step did not fit
  | 'UNKNOWN_LANGUAGE'     // not a code of whisper_lang_id
  | 'UNSUPPORTED'          // nothing a model of this kind can do
  | 'CLOSED'               // the model or state was freed
  | 'INVALID_ARGUMENT'
  | 'DECODE_FAILED'        // whisper.cpp gave up; message holds its return code

/** What decodes a model. Both kinds of file begin alike, so the caller says which one it means, and a file of the other kind is refused. */
export type ModelKind = 'whisper' | 'parakeet'

export type LoadOptions = {
  /** Absent: whisper. */
  kind?: ModelKind
  /** Use a GPU backend if the build has one and a device is present. */
  gpu: boolean
  /** Alignment heads for word times by dynamic time warping: a preset name of whisper.cpp ("tiny", "base.en", "large.v3" …), or pairs of layer and head. Absent: no DTW. */
  alignmentHeads?: string | Array<[layer: number, head: number]>
}

/** A Parakeet model reads `language`, which it gives back as it is, `threads`, `abort` and `onProgress`; it ignores the rest. */
export type TranscribeOptions = {
  /** A code of whisper_lang_id, e.g. "en". Absent: the most likely one of the first 30 s, which the encoder then runs over only once. */
  language?: string
  threads: number
  /** 1 decodes greedily. */
  beamSize: number
  /** Candidates sampled at temperatures above 0. */
  bestOf: number
  /** The first temperature, 0 to 1: 0 takes the likeliest words, above it they are drawn by lot, with the same result for the same audio. */
  temperature: number
  /** Step of the temperature fallback from there up to 1; 0 switches the fallback off. */
  temperatureStep: number
  /** Fall back when the token entropy of a long result is below this (repeat loops). */
  entropyThreshold: number
  /** Fall back when the mean log-probability is below this. */
  logProbThreshold: number
  /** No speech when the no-speech probability is above this and the log-probability threshold is missed. */
  noSpeechThreshold: number
  /** Tokens of earlier text the decoder may see inside one call (0 for none); the initial prompt needs room here too. */
  contextTokens: number
  suppressNonSpeech: boolean
  /** Text the decoder is primed with; empty for none. */
  prompt: string
  /** Names and terms to expect, as they are spelled: each at most 256 bytes of UTF-8, at most 400. */
  terms: readonly string[]
  /** whisper.cpp decodes what follows its last timestamp once more; a rest shorter than this is left alone. */
  minTailMs: number
  /** One Int32 over a SharedArrayBuffer; any value but 0 stops the call within a second. */
  abort?: Int32Array
  /** 0 to 100, never beyond, never backwards. */
  onProgress?: (percent: number) => void
}

/** One text token. Special and timestamp tokens are left out. */
export type NativeToken = {
  /** The token's bytes, one character per byte (latin1): a token may end inside a UTF-8 character. */
  bytes: string
  /** Milliseconds from the start of the given PCM. */
  startMs: number
  endMs: number
  /** Present when the model was loaded with alignment heads: the moment the token was spoken, in ms. */
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
  /** True when the abort flag ended the call; `segments` then holds what was finished. */
  aborted: boolean
  /** The language it was decoded in; empty when the call was stopped before that was known, or the audio was too short to hold a word. */
  language: string
  segments: NativeSegment[]
}

export type LanguagePosterior = { language: string, probability: number }

/** A decoding state: about 50 to 300 MB of buffers, used by one thread. */
export interface NativeState {
  /** `pcm`: 16 kHz mono in -1..1, less than 1 s is padded with silence; any length with Whisper, up to 49.99 s with Parakeet. Throws. */
  transcribe (pcm: Float32Array, options: TranscribeOptions): NativeTranscript
  /** Posterior of every language the model knows over the first 30 s, most likely first; sums to 1. None when the call was stopped. One posterior of 1 for "en" when the model is English only. Throws UNSUPPORTED with Parakeet. */
  detectLanguage (pcm: Float32Array, options: Pick<TranscribeOptions, 'threads' | 'abort'>): LanguagePosterior[]
  free (): void
}

export interface NativeModel {
  /** `multilingual`: it can be told one of several languages, and tells them apart; false with Parakeet. */
  readonly info: { type: string, multilingual: boolean, layers: number, mels: number, backend: string }
  /** Throws OUT_OF_MEMORY. */
  createState (): NativeState
  /** Gives up this handle; the weights go when the last handle and the last state of them are gone. */
  free (): void
}

/**
 * How likely someone speaks in each frame of 512 samples (16 kHz mono in -1..1, whole frames). `state` carries the recording from one call to the
 * next: 320 numbers, all 0 at its start; the one to go on with comes back.
 */
export type SpeechDetector = (pcm: Float32Array, state: Float32Array) => { probabilities: Float32Array, state: Float32Array }

export interface NativeAddon {
  /** Version of whisper.cpp. */
  readonly version: string
  /** How it was built: instruction set "native" or "portable", and backends, e.g. "cpu", "cpu+cuda". */
  readonly build: string
  /** CPU features in use, as ggml reports them. */
  systemInfo (): string
  /** Compute devices ggml found: name, description, free and total memory in bytes. */
  devices (): Array<{ name: string, description: string, kind: 'cpu' | 'gpu', freeBytes: number, totalBytes: number }>
  /** Throws MODEL_NOT_FOUND, MODEL_INVALID, OUT_OF_MEMORY. */
  loadModel (path: string, options: LoadOptions): NativeModel
  /** Weights in memory now: one entry per distinct file and options. */
  loadedModels (): Array<{ path: string, handles: number }>
  /** Silero's network with these weights, by their own names. Throws MODEL_INVALID. */
  createSpeechDetector (tensors: Readonly<Record<string, Float32Array>>): SpeechDetector
  /** Codes of whisper_lang_id in the library's order. */
  languages (): string[]
  /** Adds to the niceness of the calling thread, so that inference never starves the thread that answers HTTP. */
  lowerThreadPriority (nice: number): void
}

/** Loads the compiled addon. Throws an Error that says how to build it when it is missing. */
export function loadAddon (path: string = ADDON_PATH): NativeAddon {
  try {
    return createRequire(import.meta.url)(path) as NativeAddon
  } catch (cause) {
    throw new Error('The speech library could not be loaded. Build it with: node scripts/setup.mjs --force-native', { cause })
  }
}
