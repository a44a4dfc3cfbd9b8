/** Short forms of vectors: a byte for each dimension for what is stored, a bit for each to find candidates fast. Pure. */

/** A vector as signed bytes, scaled so that its largest value uses the whole range. Only its direction is retained. */
export function toBytes (vector: Float32Array): Int8Array {
  const largest = vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0)
  return Int8Array.from(vector, (value) => largest === 0 ? 0 : Math.round(value / largest * 127))
}

/** The cosine of a vector of length 1 and a vector of bytes. 0 for vectors of zeros. */
export function cosineOf (query: Float32Array, bytes: Int8Array): number {
  let dot = 0
  let squares = 0
  for (let i = 0; i < query.length; i++) {
    const value = bytes[i] ?? 0
    dot += (query[i] ?? 0) * value
    squares += value * value
  }
  return squares === 0 ? 0 : dot / Math.sqrt(squares)
}

/** The length of a code in 32-bit words. */
export const codeLength = (dimensions: number): number => Math.ceil(dimensions / 32)

/** Writes the signs of a vector into `codes` from `at` on: a bit for each dimension. */
export function writeCode (vector: ArrayLike<number>, codes: Uint32Array, at: number): void {
  const length = codeLength(vector.length)
  for (let word = 0; word < length; word++) {
    let bits = 0
    for (let bit = 0; bit < 32; bit++) if ((vector[word * 32 + bit] ?? 0) > 0) bits |= 1 << bit
    codes[at + word] = bits
  }
}

function countBits (word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555)
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/**
 * Indexes of the codes that differ from `query` in the fewest bits: at least `wanted` of them if there are that many, more when several
 * are equally far. `codes`: `count` codes of the length of `query`, one after the other.
 */
export function findNearest (codes: Uint32Array, count: number, query: Uint32Array, wanted: number): number[] {
  const length = query.length
  const distances = new Uint16Array(count)
  const counts = new Uint32Array(length * 32 + 1)
  for (let index = 0, at = 0; index < count; index++) {
    let distance = 0
    for (let word = 0; word < length; word++, at++) distance += countBits((codes[at] ?? 0) ^ (query[word] ?? 0))
    distances[index] = distance
    counts[distance] = (counts[distance] ?? 0) + 1
  }
  let furthest = 0
  for (let found = counts[0] ?? 0; found < wanted && furthest < counts.length - 1;) found += counts[++furthest] ?? 0
  const nearest: number[] = []
  for (let index = 0; index < count; index++) if ((distances[index] ?? 0) <= furthest) nearest.push(index)
  return nearest
}
