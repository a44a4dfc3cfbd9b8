/** How loud a recording is, for drawing it: the largest amplitude of each stretch. Pure. */
import { SAMPLE_RATE_HZ } from './audio.js'

/** The most stretches of a recording. A longer one has longer stretches. */
export const MAX_PEAKS = 20_000
/** Samples of a stretch in a short recording: 20 ms. */
const SHORTEST_SAMPLES = 320

/** `perSecond`: stretches in a second. `amplitudes`: 0 to 127, one for each stretch. */
export type Peaks = { perSecond: number, amplitudes: Uint8Array }

/** Measures samples (signed 16 bit, little endian) while they arrive. `channels`: interleaved; the loudest counts. */
export function createPeakMeter (channels = 1) {
  const peaks = new Uint8Array(MAX_PEAKS)
  let count = 0
  let length = SHORTEST_SAMPLES * channels
  /** Samples until the open stretch is full. */
  let left = length
  let loudest = 0

  /** Joins two stretches to one. */
  function halve (): void {
    for (let index = 0; index < count / 2; index++) peaks[index] = Math.max(peaks[2 * index]!, peaks[2 * index + 1]!)
    count /= 2
    length *= 2
    left = length
  }

  function close (): void {
    peaks[count++] = Math.min(127, loudest >> 8)
    loudest = 0
    left = length
    if (count === MAX_PEAKS) halve()
  }

  return {
    /** Takes whole samples. */
    add (chunk: Uint8Array): void {
      const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      for (let at = 0; at + 1 < chunk.byteLength; at += 2) {
        const amplitude = Math.abs(view.getInt16(at, true))
        if (amplitude > loudest) loudest = amplitude
        if (--left === 0) close()
      }
    },
    /** What was measured so far. */
    read (): Peaks {
      const amplitudes = peaks.slice(0, left < length ? count + 1 : count)
      if (left < length) amplitudes[count] = Math.min(127, loudest >> 8)
      return { perSecond: SAMPLE_RATE_HZ * channels / length, amplitudes }
    }
  }
}
