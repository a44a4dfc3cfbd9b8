/** Random values that are the same in every run. */

/** Numbers from 0 up to, not including, 1 (mulberry32). */
export function createRandom (seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Bytes that match no format except by accident. */
export function randomBytes (length: number, seed: number): Buffer {
  const random = createRandom(seed)
  return Buffer.from(Uint8Array.from({ length }, () => Math.floor(random() * 256)))
}
