/** Phrases between pauses, and holes (speech without words), from the probabilities of the voice activity detector. */
import { findSpeechRuns, FRAME_MS, framesOf, ONSET_PROBABILITY } from './speech-spans.js'

/** A stretch of speech, in ms from the start of its window. `speechMs`: how much of it the detector considers speech. */
export type SpeechChunk = { startMs: number, endMs: number, speechMs: number }

/** A dip of this length is a pause between phrases. Shorter dips are plosives. */
const PAUSE_MS = 190

/** The stretches of speech in a window, in order. `probabilities`: one for each frame of 32 ms. */
export function findSpeechChunks (probabilities: ArrayLike<number>): SpeechChunk[] {
  return findSpeechRuns(probabilities, framesOf(PAUSE_MS))
    .map(({ start, end, speechFrames }) => ({ startMs: start * FRAME_MS, endMs: end * FRAME_MS, speechMs: speechFrames * FRAME_MS }))
}

/** How much of a stretch is speech, in ms. */
export function speechWithin (probabilities: ArrayLike<number>, startMs: number, endMs: number): number {
  let frames = 0
  const last = Math.min(probabilities.length, Math.floor(endMs / FRAME_MS))
  for (let frame = Math.max(0, Math.ceil(startMs / FRAME_MS)); frame < last; frame++) {
    if ((probabilities[frame] ?? 0) >= ONSET_PROBABILITY) frames++
  }
  return frames * FRAME_MS
}

/** The highest probability in a stretch; 0 when it holds no frame. */
export function likeliestWithin (probabilities: ArrayLike<number>, startMs: number, endMs: number): number {
  let likeliest = 0
  const last = Math.min(probabilities.length, Math.ceil(endMs / FRAME_MS))
  for (let frame = Math.max(0, Math.floor(startMs / FRAME_MS)); frame < last; frame++) {
    likeliest = Math.max(likeliest, probabilities[frame] ?? 0)
  }
  return likeliest
}

export type Stretch = { startMs: number, endMs: number }

/** The length of an ordinary word: sound this soon after the start of a word belongs to that word. */
const WORD_MS = 600
/** Longer speech without a word was skipped by the decoder: people stretch words and hesitate, but not for this long. */
const HOLE_SPEECH_MS = 1000

/**
 * Finds holes: stretches of speech for which the transcript has no word. Decoders skip whole sentences without any sign, mostly in another
 * language or voice. `probabilities`: one for each frame of 32 ms. `onsetsMs`: the start of each token, in any order.
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

/** Moves the ends of a hole to nearby pauses: half a word would be decoded as another word. */
function snapToPauses ({ startMs, endMs }: Stretch, chunks: readonly SpeechChunk[]): Stretch {
  const reach = WORD_MS / 2
  const first = chunks.find((chunk) => chunk.endMs > startMs)
  const last = chunks.findLast((chunk) => chunk.startMs < endMs - reach)
  return {
    startMs: first && first.startMs >= startMs - reach ? first.startMs : startMs,
    endMs: last && last.endMs <= endMs + reach ? last.endMs : endMs
  }
}
