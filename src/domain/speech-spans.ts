/**
 * Which frames of a recording hold speech, from the probabilities of the voice activity detector. Streaming and deterministic: the same
 * probabilities give the same answer however they arrive.
 */
import { SAMPLE_RATE_HZ, SAMPLES_PER_MS } from './audio.js'

/** The detector looks at 32 ms at a time. */
export const FRAME_SAMPLES = 512
export const FRAME_MS = FRAME_SAMPLES / SAMPLES_PER_MS

const framesOf = (ms: number): number => Math.round(ms * SAMPLE_RATE_HZ / 1000 / FRAME_SAMPLES)

/** Speech begins above the one and ends below the other, as Silero's authors do it: a voice that fades is followed to its end. */
const ONSET_PROBABILITY = 0.5
const OFFSET_PROBABILITY = 0.35
/** A quarter of a second, Silero's own limit: shorter is a key, a note or a cough. */
const MIN_SPEECH_FRAMES = framesOf(250)
/** Unless the detector is sure: a "no" or "ja" on its own is this short. */
const MIN_SURE_FRAMES = framesOf(128)
const SURE_PROBABILITY = 0.9
/** A dip shorter than a tenth of a second, as before a plosive, does not end speech. */
const MAX_DIP_FRAMES = framesOf(100) - 1
/**
 * Kept on both sides of speech: soft consonants begin before the detector notices, and a pause of 0.9 s between sentences is one the decoder
 * knows. With 0.5 s the talk, its pauses prolonged, has 15.3 % WER; with 0.8 s 11.8, with 0.9 s 10.6, with 1.2 s 10.5.
 */
const PAD_FRAMES = framesOf(448)

/** What the detector says of one frame, and how loud it is. */
export type HeardFrame = { probability: number, levelDb: number }
/** `isKept`: speech, or close enough to some. */
export type SpeechFrame = { index: number, isSpeech: boolean, isKept: boolean, levelDb: number }

/** Decides on frames in order, each at most 0.8 s after it was heard. Calls `emit` for every frame once. */
export function createSpeechSpotter (emit: (frame: SpeechFrame) => void) {
  let heard = 0
  let isOpen = false
  /** Frames since the last one above the offset. */
  let dip = 0
  /** Frames of an open run that is still too short to be speech, and the highest probability of the run. */
  let unsure: SpeechFrame[] = []
  let peak = 0
  /** Frames without speech that may turn out to stand right before some. */
  let waiting: SpeechFrame[] = []
  let keptUntil = -1

  function settleSpeech (frames: readonly SpeechFrame[]): void {
    for (const frame of waiting) emit({ ...frame, isKept: true })
    waiting = []
    for (const frame of frames) {
      emit({ ...frame, isSpeech: true, isKept: true })
      keptUntil = frame.index + PAD_FRAMES
    }
  }

  function settleSilence (frames: readonly SpeechFrame[]): void {
    for (const frame of frames) {
      if (frame.index <= keptUntil) emit({ ...frame, isKept: true })
      else waiting.push(frame)
    }
    while (waiting.length > PAD_FRAMES) {
      const oldest = waiting.shift()
      if (oldest) emit(oldest)
    }
  }

  return {
    push ({ probability, levelDb }: HeardFrame): void {
      const frame = { index: heard++, isSpeech: false, isKept: false, levelDb }
      dip = probability >= (isOpen ? OFFSET_PROBABILITY : ONSET_PROBABILITY) ? 0 : dip + 1
      isOpen = dip === 0 || (isOpen && dip <= MAX_DIP_FRAMES)
      if (!isOpen) {
        settleSilence([...unsure, frame])
        unsure = []
        peak = 0
        return
      }
      unsure.push(frame)
      peak = Math.max(peak, probability)
      // A run that is long enough stays so: what follows it is settled frame by frame.
      const isLongEnough = unsure.length >= (peak >= SURE_PROBABILITY ? MIN_SURE_FRAMES : MIN_SPEECH_FRAMES) || unsure[0]?.index === keptUntil - PAD_FRAMES + 1
      if (dip > 0 || !isLongEnough) return
      settleSpeech(unsure)
      unsure = []
    },
    finish (): void {
      settleSilence(unsure)
      unsure = []
      for (const frame of waiting) emit(frame)
      waiting = []
    }
  }
}
