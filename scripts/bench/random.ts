/** Seeded random numbers, so that a generated model is the same on every machine. */

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

/** IEEE half precision, rounded to nearest even. Written out because Node 22 has no Float16Array. */
export function toHalf (values: Float32Array): Uint16Array {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length)
  const halves = new Uint16Array(values.length)
  for (let i = 0; i < values.length; i++) halves[i] = halveBits(bits[i] as number)
  return halves
}

function halveBits (bits: number): number {
  const sign = (bits >>> 16) & 0x8000
  const exponent = ((bits >>> 23) & 0xff) - 112
  const mantissa = bits & 0x7fffff
  if (exponent >= 31) return sign | 0x7c00
  if (exponent > 0) return sign | roundShift((exponent << 23) | mantissa, 13)
  if (exponent < -10) return sign
  return sign | roundShift(mantissa | 0x800000, 14 - exponent)
}

function roundShift (value: number, shift: number): number {
  const kept = value >>> shift
  const rest = value & ((1 << shift) - 1)
  const half = 1 << (shift - 1)
  return rest > half || (rest === half && (kept & 1) === 1) ? kept + 1 : kept
}
