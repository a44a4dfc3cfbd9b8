/** Seeded random numbers, so that what is generated is the same on every machine. */

/** Mulberry32: uniform in [0, 1). */
export function createRandom (seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6D2B79F5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

/** Fills with standard normal numbers (Box-Muller, both halves used). */
export function fillNormal (target: Float32Array, random: () => number): Float32Array {
  for (let i = 0; i < target.length; i += 2) {
    const radius = Math.sqrt(-2 * Math.log(1 - random()))
    const angle = 2 * Math.PI * random()
    target[i] = radius * Math.cos(angle)
    if (i + 1 < target.length) target[i + 1] = radius * Math.sin(angle)
  }
  return target
}
