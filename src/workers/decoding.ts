/** Decoding of sound on a pool thread: a stretch of a window, with a second attempt when the text repeats itself. */
import { deflateRawSync } from 'node:zlib'
import { SAMPLES_PER_MS, samplesToMs } from '../domain/audio.js'
import { errorCode } from '../domain/errors.js'
import { isLoop } from '../domain/loops.js'
import type { Stretch } from '../domain/speech-chunks.js'
import { SpeechError } from '../domain/speech-error.js'
import type { NativeSegment, NativeState, NativeToken, NativeTranscript, TranscribeOptions } from '../native/addon.js'
import type { TranscribeInput } from './protocol.js'

/** Temperature of the second attempt after a loop. */
const RETRY_TEMPERATURE = 0.4
/** A second attempt with less than this share of the first one's content has lost speech together with the loop. */
const RETRY_SHARE = 0.7
/** Language codes for models that are older than Whisper's code for the language. */
const OLDER_LANGUAGES: Readonly<Record<string, string>> = { yue: 'zh' }

export type Decoded = { segments: NativeSegment[], language: string }
/** One window and how to decode it. `pcm`: 16 kHz mono. */
export type WindowTask = { state: NativeState, pcm: Float32Array, input: TranscribeInput, options: TranscribeOptions }

function transcribeKnown (state: NativeState, pcm: Float32Array, options: TranscribeOptions): NativeTranscript {
  try {
    return state.transcribe(pcm, options)
  } catch (error) {
    const language = OLDER_LANGUAGES[options.language ?? '']
    if (!language || errorCode(error) !== 'UNKNOWN_LANGUAGE') throw error
    return state.transcribe(pcm, { ...options, language })
  }
}

/** Decodes sound once. Throws `SpeechError` aborted when the call was stopped, because half a window is not a result. */
export function decode (state: NativeState, pcm: Float32Array, options: TranscribeOptions): Decoded {
  const { aborted, segments, language } = transcribeKnown(state, pcm, options)
  if (aborted) throw new SpeechError('aborted', 'stopped on request')
  return { segments, language }
}

const bytesOf = (tokens: readonly NativeToken[]): Buffer => Buffer.from(tokens.map(({ bytes }) => bytes).join(''), 'latin1')

/** Tokens can end inside a character, so their bytes are joined before they are read as UTF-8. */
export const textOf = (tokens: readonly NativeToken[]): string => bytesOf(tokens).toString('utf8')

/** A text, and its size after deflate, which tells how much of it is repetition. */
type Said = { text: string, deflatedBytes: number }

function measure (segments: readonly NativeSegment[]): Said {
  const bytes = bytesOf(segments.flatMap(({ tokens }) => tokens))
  return { text: bytes.toString('utf8'), deflatedBytes: deflateRawSync(bytes).length }
}

/** Whether the text of these segments repeats itself over and over. */
export function hasLoop (segments: readonly NativeSegment[]): boolean {
  const { text, deflatedBytes } = measure(segments)
  return isLoop(text, deflatedBytes)
}

/** True when the second attempt has no loop and nearly as much content as the first one without its repeats. */
function isBetter (second: Said, first: Said): boolean {
  return !isLoop(second.text, second.deflatedBytes) && second.deflatedBytes >= RETRY_SHARE * first.deflatedBytes
}

/** Decodes sound. Text that repeats itself is decoded again, without a prompt and at a higher temperature. */
function decodeWithoutLoop (state: NativeState, pcm: Float32Array, options: TranscribeOptions): Decoded {
  const first = decode(state, pcm, options)
  const said = measure(first.segments)
  if (!isLoop(said.text, said.deflatedBytes)) return first
  const second = decode(state, pcm, { ...options, language: first.language, prompt: '', contextTokens: 0, temperature: RETRY_TEMPERATURE })
  return isBetter(measure(second.segments), said) ? second : first
}

/**
 * The samples of a stretch. A stretch that ends with the window gets every sample up to the end: the encoder's output is reused only for
 * exactly the same samples.
 */
export function samplesOf (pcm: Float32Array, { startMs, endMs }: Stretch): Float32Array {
  return pcm.subarray(startMs * SAMPLES_PER_MS, endMs >= samplesToMs(pcm.length) ? pcm.length : endMs * SAMPLES_PER_MS)
}

function shift (segment: NativeSegment, byMs: number): NativeSegment {
  return {
    ...segment,
    startMs: segment.startMs + byMs,
    endMs: segment.endMs + byMs,
    tokens: segment.tokens.map((token) => ({
      ...token,
      startMs: token.startMs + byMs,
      endMs: token.endMs + byMs,
      ...(token.dtwMs === undefined ? {} : { dtwMs: token.dtwMs + byMs })
    }))
  }
}

/** Decodes a stretch of the window by itself. Times are those of the window, in ms. Throws `SpeechError` aborted. */
export function decodeStretch ({ state, pcm, options }: WindowTask, stretch: Stretch, language: string): NativeSegment[] {
  const { segments } = decodeWithoutLoop(state, samplesOf(pcm, stretch), { ...options, language })
  return segments.map((segment) => shift(segment, stretch.startMs))
}

/** When a token begins, in ms: by alignment where the model has it. */
export const onsetOf = ({ dtwMs, startMs }: NativeToken): number => dtwMs ?? startMs

/** Mean log probability of tokens; 0 for none. */
export function meanLogProbability (tokens: readonly NativeToken[]): number {
  return tokens.reduce((sum, { logProbability }) => sum + logProbability, 0) / Math.max(1, tokens.length)
}

/** Mean log probability of all tokens of these segments; 0 for none. */
export const sureness = (segments: readonly NativeSegment[]): number => meanLogProbability(segments.flatMap(({ tokens }) => tokens))
