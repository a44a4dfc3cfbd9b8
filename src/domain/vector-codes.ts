/** Short forms of vectors: a byte for each dimension for what is stored, a bit for each to find candidates fast. Pure. */

/** A vector as signed bytes, scaled so that its largest value uses the whole range. Only its direction is retained. */
export function toBytes (vector: Float32Array): Int8Array {
  const largest = vector.reduce((max, value) => Math.max(max, Math.abs(value)), 0)
  return Int8Array.from(vector, (value) => largest === 0 ? 0 : Math.round(value / largest * 127))
}

/** The direction between these vectors, whatever their lengths. Undefined when one of them is missing. */
export function meanDirection (vectors: ReadonlyArray<Float32Array | undefined>): Float32Array | undefined {
  const [first] = vectors
  if (!first) return undefined
  const mean = new Float32Array(first.length)
  for (const vector of vectors) {
    if (!vector) return undefined
    const length = Math.sqrt(vector.reduce((squares, value) => squares + value * value, 0))
    if (length > 0) for (let i = 0; i < mean.length; i++) mean[i] = (mean[i] ?? 0) + (vector[i] ?? 0) / length
  }
  return mean
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

/** Codes up to this number are compared whole. */
const FEW_CODES = 50_000
/** Of more codes, the first third is compared, and of one in so many, the nearest, the rest as well. */
const PART = 3
const RETAINED = 16

/** Codes of a length in 32-bit words, one after the other. */
export type Codes = { words: Uint32Array, length: number, count: number }

/**
 * Indexes of the codes that differ from `query` in the fewest bits of its words: at least `wanted`, if there are that many. `only`: the
 * indexes to look at; undefined for all.
 */
function nearestOf ({ words, length, count }: Codes, only: Uint32Array | undefined, query: Uint32Array, wanted: number): Uint32Array {
  const looked = only ? only.length : count
  const distances = new Uint16Array(looked)
  const counts = new Uint32Array(query.length * 32 + 1)
  for (let i = 0; i < looked; i++) {
    const at = (only ? only[i] as number : i) * length
    let distance = 0
    for (let word = 0; word < query.length; word++) distance += countBits((words[at + word] as number) ^ (query[word] as number))
    distances[i] = distance
    counts[distance] = (counts[distance] as number) + 1
  }
  let furthest = 0
  let found = counts[0] as number
  while (found < wanted && furthest < counts.length - 1) found += counts[++furthest] as number
  const nearest = new Uint32Array(found)
  let size = 0
  for (let i = 0; i < looked; i++) if ((distances[i] as number) <= furthest) nearest[size++] = only ? only[i] as number : i
  return nearest
}

/**
 * Indexes of the codes that differ from `query` in the fewest bits: at least `wanted` of them if there are that many, more when several
 * are equally far. Among very many codes, a near one is missed if its first third is far.
 */
export function findNearest (codes: Codes, query: Uint32Array, wanted: number): Uint32Array {
  if (codes.count <= FEW_CODES) return nearestOf(codes, undefined, query, wanted)
  const part = query.subarray(0, Math.ceil(query.length / PART))
  return nearestOf(codes, nearestOf(codes, undefined, part, Math.max(wanted, codes.count / RETAINED)), query, wanted)
}
