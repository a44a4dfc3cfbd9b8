/** Decoding recordings and dividing them into windows: short work beside recognising speech. */
import type { DecodeLimits, Decoding } from '../../service/decoding.js'
import { repeat } from '../kind.js'
import type { Kind } from '../kind.js'

const SLOTS = 3
/** Jobs in progress at once: each keeps its decoded sound (115 MB an hour) on disk. */
const ANY: DecodeLimits = { maxBytes: Number.MAX_SAFE_INTEGER, maxActive: 24, maxPerOwner: 8 }
/** Files up to this size are decoded in seconds; they may exceed those limits, so that a clip never waits for long files. */
const SMALL: DecodeLimits = { maxBytes: 8 * 1024 * 1024, maxActive: 72, maxPerOwner: 24 }

export function createDecodeKind (decoding: Pick<Decoding, 'claim' | 'decode'>): Kind {
  return {
    kind: 'decode',
    // The last free slot is for small files.
    lane: { slots: SLOTS, claims: (running) => repeat(() => decoding.claim(running() === SLOTS - 1 ? [SMALL] : [ANY, SMALL])) },
    run: decoding.decode
  }
}
