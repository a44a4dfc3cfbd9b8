/** Quiet put between sentences: the recording of a meeting in which as long is kept silent as is spoken. */
import { createRandom, fillNormal } from '../../dist/evaluate/sounds/random.js'
import type { Sentence } from './recordings.ts'

const SAMPLE_RATE_HZ = 16000
const FULL_SCALE = 32768
/** The floor of a quiet room behind a fair microphone. Digital silence would be too easy. */
export const QUIET_DBFS = -70

/** The samples in the middle of the pauses between sentences. */
export function findCuts (sentences: readonly Sentence[]): number[] {
  return sentences.slice(1).map(({ start }, index) => Math.round(SAMPLE_RATE_HZ * ((sentences[index]?.end ?? start) + start) / 2))
}

/** The samples with as much quiet again: each piece from cut to cut is followed by noise of `QUIET_DBFS` as long as itself. */
export function insertQuiet (samples: Int16Array, cuts: readonly number[]): Int16Array {
  const quiet = drawQuiet(samples.length)
  const result = new Int16Array(2 * samples.length)
  const bounds = [0, ...cuts, samples.length]
  for (const [index, end] of bounds.slice(1).entries()) {
    const start = bounds[index] ?? 0
    result.set(samples.subarray(start, end), 2 * start)
    result.set(quiet.subarray(start, end), start + end)
  }
  return result
}

function drawQuiet (length: number): Int16Array {
  const deviation = FULL_SCALE * 10 ** (QUIET_DBFS / 20)
  return Int16Array.from(fillNormal(new Float32Array(length), createRandom(11)), (value) => Math.round(deviation * value))
}
