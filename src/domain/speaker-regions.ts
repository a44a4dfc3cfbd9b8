/** Where people talk, for telling speakers apart. Pure. */
import { findSpeechRuns } from './speech-spans.js'

/** A stretch of speech without a pause. */
export type Region = { startMs: number, endMs: number }

/** The probability of speech in the frames from `startMs` on. */
export type FrameProbabilities = { startMs: number, probabilities: Float32Array }

/**
 * The detector's usual limits miss a third of the speech of meetings, most of it ends of words and quiet syllables. Once speech has begun
 * it goes on down to this probability.
 */
const LIMITS = { onset: 0.5, offset: 0.1 }
/** A dip of a tenth of a second ends a run. */
const DIP_FRAMES = 3
/** Shorter sounds are clicks. */
const MIN_REGION_MS = 100
/** Sound beside speech that belongs to it. */
const PAD_MS = 100

/** The regions of a recording, from the frames of its pieces in order of time. They do not overlap. */
export function findRegions (pieces: readonly FrameProbabilities[], frameMs: number): Region[] {
  const regions: Region[] = []
  const probabilities = new Float32Array(pieces.reduce((sum, piece) => sum + piece.probabilities.length, 0))
  let filled = 0
  for (const piece of pieces) {
    probabilities.set(piece.probabilities, filled)
    filled += piece.probabilities.length
  }
  const firstMs = pieces[0]?.startMs ?? 0
  const endMs = firstMs + Math.round(frameMs * probabilities.length)
  for (const { start, end } of findSpeechRuns(probabilities, DIP_FRAMES, LIMITS)) {
    if ((end - start) * frameMs < MIN_REGION_MS) continue
    const region = {
      startMs: Math.max(firstMs, Math.round(firstMs + start * frameMs) - PAD_MS),
      endMs: Math.min(endMs, Math.round(firstMs + end * frameMs) + PAD_MS)
    }
    const last = regions.at(-1)
    if (last && region.startMs <= last.endMs) last.endMs = region.endMs
    else regions.push(region)
  }
  return regions
}
