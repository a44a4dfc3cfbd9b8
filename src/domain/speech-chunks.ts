/** Phrases between pauses, and speech without words (holes), from the probabilities of the voice activity detector. */
import { FRAME_MS, framesOf, OFFSET_PROBABILITY } from './speech-spans.js'

/** A stretch of speech, in ms from the start of its window. `speechMs`: how much of it the detector calls speech. */
export type SpeechChunk = { startMs: number, endMs: number, speechMs: number }

/** Above this a frame is speech; the detector's authors use the same value. */
const SPEECH_PROBABILITY = 0.5
/** A dip of this length is a pause between phrases; shorter ones are plosives. */
const PAUSE_MS = 190

/** The stretches of speech in a window, in order. `probabilities`: one for each frame of 32 ms. */
export function findSpeechChunks (probabilities: ArrayLike<number>): SpeechChunk[] {
  const chunks: SpeechChunk[] = []
  let open: { first: number, last: number, speechFrames: number } | undefined
  for (let frame = 0; frame < probabilities.length; frame++) {
    const probability = probabilities[frame] ?? 0
    if (open && frame - open.last > framesOf(PAUSE_MS)) {
      chunks.push(toChunk(open))
      open = undefined
    }
    if (!open && probability >= SPEECH_PROBABILITY) open = { first: frame, last: frame, speechFrames: 0 }
    if (!open) continue
    if (probability >= OFFSET_PROBABILITY) open.last = frame
    if (probability >= SPEECH_PROBABILITY) open.speechFrames++
  }
  return open ? [...chunks, toChunk(open)] : chunks
}

function toChunk ({ first, last, speechFrames }: { first: number, last: number, speechFrames: number }): SpeechChunk {
  return { startMs: first * FRAME_MS, endMs: (last + 1) * FRAME_MS, speechMs: speechFrames * FRAME_MS }
}

/** How much of a stretch is speech, in ms. */
export function speechWithin (probabilities: ArrayLike<number>, startMs: number, endMs: number): number {
  let frames = 0
  const last = Math.min(probabilities.length, Math.floor(endMs / FRAME_MS))
  for (let frame = Math.max(0, Math.ceil(startMs / FRAME_MS)); frame < last; frame++) {
    if ((probabilities[frame] ?? 0) >= SPEECH_PROBABILITY) frames++
  }
  return frames * FRAME_MS
}

/** The highest probability in a stretch; 0 where it holds no frame. */
export function likeliestWithin (probabilities: ArrayLike<number>, startMs: number, endMs: number): number {
  let likeliest = 0
  const last = Math.min(probabilities.length, Math.ceil(endMs / FRAME_MS))
  for (let frame = Math.max(0, Math.floor(startMs / FRAME_MS)); frame < last; frame++) {
    likeliest = Math.max(likeliest, probabilities[frame] ?? 0)
  }
  return likeliest
}

export type Stretch = { startMs: number, endMs: number }

/** A word of ordinary length: sound that follows the start of a word this closely belongs to it. */
const WORD_MS = 600
/** Speech without a word for longer than this was passed over: people draw out words and hesitate, but not for so long. */
const HOLE_SPEECH_MS = 1000

/**
 * Holes: stretches in which somebody speaks and the transcript has no word. `probabilities`: one for each frame of 32 ms. `onsetsMs`: when
 * each token begins, in any order. Decoders pass over whole sentences without a sign, most of all in another language or voice.
 */
export function findHoles (probabilities: ArrayLike<number>, onsetsMs: readonly number[]): Stretch[] {
  const chunks = findSpeechChunks(probabilities)
  const onsets = [...onsetsMs].sort((a, b) => a - b)
  const edges = [-WORD_MS, ...onsets, probabilities.length * FRAME_MS]
  return edges.slice(1).flatMap((nextMs, index) => {
    const previousMs = edges[index] ?? 0
    const fromMs = previousMs + WORD_MS
    if (speechWithin(probabilities, fromMs, nextMs) < HOLE_SPEECH_MS) return []
    const hole = snapToPauses({ startMs: fromMs, endMs: nextMs }, chunks)
    return speechWithin(probabilities, hole.startMs, hole.endMs) >= HOLE_SPEECH_MS ? [hole] : []
  })
}

/** Moves the ends of a hole to the pauses next to them, if there are any: half a word is decoded as another word. */
function snapToPauses ({ startMs, endMs }: Stretch, chunks: readonly SpeechChunk[]): Stretch {
  const reach = WORD_MS / 2
  const first = chunks.find((chunk) => chunk.endMs > startMs)
  const last = chunks.findLast((chunk) => chunk.startMs < endMs - reach)
  return {
    startMs: first && first.startMs >= startMs - reach ? first.startMs : startMs,
    endMs: last && last.endMs <= endMs + reach ? last.endMs : endMs
  }
}
