/** Transcribes one window: decodes each phrase in its language, fills holes, and drops text where nobody speaks. */
import { MAX_WINDOW_SAMPLES, samplesToMs } from '../domain/audio.js'
import { averagePosteriors } from '../domain/language.js'
import { toUnits } from '../domain/loops.js'
import { findSpeechChunks, likeliestWithin, speechWithin } from '../domain/speech-chunks.js'
import type { NativeSegment, NativeState, TranscribeOptions } from '../native/addon.js'
import { decode, hasLoop, sureness, textOf } from './decoding.js'
import type { Decoded, WindowTask } from './decoding.js'
import { fillHoles, NO_SPEECH_PROBABILITY } from './holes.js'
import type { TranscribeInput } from './protocol.js'
import { amongKnown, decodeInLanguages, DOUBTFUL_LOG_PROBABILITY, mostSpoken, rankLanguages } from './window-languages.js'

/** Shorter audio after the last timestamp is not worth another encoder run, because windows end in a pause. */
const MIN_TAIL_MS = 1000
/** Half of the decoder's text context, which is what Whisper leaves for a prompt. */
const PROMPT_TOKENS = 224
/** Text is invented if no frame in it, or this close to it, is speech with this probability. Quiet and hoarse voices stay above it. */
const REACH_MS = 500
const LEAST_SPEECH_PROBABILITY = 0.15
/** Text that the decoder is unsure of is dropped unless this share of its time is speech. */
const LEAST_SPEECH_SHARE = 0.25
/**
 * Tones and music deceive the detector. Above this probability of silence the decoder is right: for people, even in loud noise, it stays
 * below 0.6.
 */
const SURELY_NO_SPEECH = 0.85

/** Nobody can say a word, or a character of a script without spaces, in less time: fast speakers need 120 ms. */
const LEAST_UNIT_MS = 80
/** Below this probability the language of a window is a guess. Music and noise stay below it, and so do very quiet voices. */
const GUESSED_LANGUAGE_PROBABILITY = 0.8

/** A segment without a letter or a digit says nothing, and neither does a remark such as "[Music]". */
const WORD = /[\p{L}\p{N}]/u
const REMARKS = /[[(（【〔《♪][^\])）】〕》♪]*[\])）】〕》♪]/gu

/** How likely someone speaks in each frame of a window. Text is added only where that is `likely`, dropped where it is not `possible`. */
export type Hear = (pcm: Float32Array) => { likely: Float32Array, possible: Float32Array }

/**
 * Drops text where nobody can have been speaking: decoders fill silence and noise with common phrases and are sure of them. Where there may
 * be some speech, the decoder's own doubt decides.
 */
function dropUnheard (segments: readonly NativeSegment[], probabilities: Float32Array): NativeSegment[] {
  return segments.filter((segment) => {
    if (!WORD.test(textOf(segment.tokens).replace(REMARKS, ''))) return false
    const startMs = segment.startMs - REACH_MS
    const endMs = segment.endMs + REACH_MS
    if (likeliestWithin(probabilities, startMs, endMs) < LEAST_SPEECH_PROBABILITY) return false
    if (hasLoop([segment]) && !canBeSaid([segment], speechWithin(probabilities, startMs, endMs))) return false
    const isDoubted = segment.noSpeechProbability > NO_SPEECH_PROBABILITY && sureness([segment]) < DOUBTFUL_LOG_PROBABILITY
    if (!isDoubted) return true
    const isSpeech = speechWithin(probabilities, startMs, endMs) >= LEAST_SPEECH_SHARE * (segment.endMs - segment.startMs)
    return isSpeech && segment.noSpeechProbability <= SURELY_NO_SPEECH
  })
}

/** Whether the text of these segments can be spoken in `speechMs`. */
function canBeSaid (segments: readonly NativeSegment[], speechMs: number): boolean {
  return speechMs >= LEAST_UNIT_MS * toUnits(textOf(segments.flatMap(({ tokens }) => tokens))).length
}

/** Drops the text of a window that two models doubt: its language is a guess, and it is more than can be said in the possible speech. */
function dropGuessed (segments: NativeSegment[], probabilities: Float32Array, languageProbability: number): NativeSegment[] {
  const isGuess = languageProbability < GUESSED_LANGUAGE_PROBABILITY
  return isGuess && !canBeSaid(segments, speechWithin(probabilities, 0, Infinity)) ? [] : segments
}

/** Transcribes a window; times in ms from its start. Throws `SpeechError` aborted. */
export function transcribeWindow (state: NativeState, pcm: Float32Array, input: TranscribeInput, hear: Hear): Decoded {
  const { prompt, terms, threads, abort, decoding } = input
  const options: TranscribeOptions = {
    ...decoding,
    prompt,
    terms,
    threads,
    minTailMs: MIN_TAIL_MS,
    abort,
    // The prompt is part of the context.
    contextTokens: prompt === '' ? decoding.contextTokens : PROMPT_TOKENS
  }
  // Parakeet has only one way of decoding, and returns the language it is given.
  if (input.model.kind === 'parakeet') return decode(state, pcm, { ...options, ...(input.language ? { language: input.language } : {}) })
  const task: WindowTask = { state, pcm: pcm.subarray(0, MAX_WINDOW_SAMPLES), input, options }
  const { likely: probabilities, possible } = hear(task.pcm)
  // Languages are detected right before the text is decoded, so that both use the same run of the encoder.
  const posteriors = input.language === undefined ? rankLanguages(state, task.pcm, input) : []
  const known = [posteriors, input.prior].map((one) => amongKnown(one, input.languages))
  const prior = averagePosteriors(known.filter(({ length }) => length > 0))
  const facts = { probabilities, chunks: findSpeechChunks(probabilities), lengthMs: samplesToMs(task.pcm.length), prior }
  const { runs, segments } = decodeInLanguages(task, facts)
  const filled = fillHoles(task, facts, dropUnheard(segments, possible), runs)
  // The text of holes comes from the same decoder, so it is judged like all other text.
  return { segments: dropGuessed(dropUnheard(filled, possible), possible, posteriors[0]?.probability ?? 1), language: mostSpoken(runs) }
}
