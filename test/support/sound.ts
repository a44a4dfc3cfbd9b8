/** Generated sound: 16 kHz mono, signed 16 bit. */
import { createRandom } from './random.ts'

export const RATE_HZ = 16_000

/** Even noise: every 20 ms are equally loud. Amplitude 0 is digital silence, 1 is its dither. */
export function noise (seconds: number, amplitude: number, seed = 1): Int16Array {
  const random = createRandom(seed)
  return Int16Array.from({ length: Math.round(seconds * RATE_HZ) }, () => Math.round((random() * 2 - 1) * amplitude))
}

export const silence = (seconds: number): Int16Array => new Int16Array(Math.round(seconds * RATE_HZ))

/** Noise in syllables: 200 ms loud, 60 ms 30 dB softer. */
export function speech (seconds: number, seed = 1): Int16Array {
  const samples = noise(seconds, 8000, seed)
  return samples.map((sample, index) => index % (0.26 * RATE_HZ) < 0.2 * RATE_HZ ? sample : Math.round(sample / 32))
}

export function joinSound (...parts: readonly Int16Array[]): Int16Array {
  const joined = new Int16Array(parts.reduce((sum, part) => sum + part.length, 0))
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}
