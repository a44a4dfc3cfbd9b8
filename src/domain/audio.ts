/** Decoded audio: 16 kHz mono, signed 16-bit little-endian. The constants here follow from that. */

export const SAMPLE_RATE_HZ = 16_000
export const BYTES_PER_SAMPLE = 2
export const SAMPLES_PER_MS = SAMPLE_RATE_HZ / 1000

/** Whisper's encoder sees exactly 30 s at a time. */
export const MAX_WINDOW_SAMPLES = 30 * SAMPLE_RATE_HZ

/** Converts samples to whole milliseconds, rounded down. */
export function samplesToMs (samples: number): number {
  return Math.floor(samples / SAMPLES_PER_MS)
}

/** Converts signed 16-bit samples to floats in -1..1, which the speech models take. */
export function toFloatPcm (samples: Int16Array): Float32Array<ArrayBuffer> {
  const pcm = new Float32Array(samples.length)
  for (let i = 0; i < samples.length; i++) pcm[i] = (samples[i] ?? 0) / 32_768
  return pcm
}
