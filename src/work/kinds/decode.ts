/** Decoding recordings and dividing them into windows: short work beside recognising speech. */
import type { DecodeLimits, Decoding } from '../../service/decoding.js'
import { repeat } from '../kind.js'
import type { Kind } from '../kind.js'

const NO_LIMIT = Number.MAX_SAFE_INTEGER
/** Jobs in progress at once: each keeps its decoded sound (115 MB an hour) on disk. */
const ANY: DecodeLimits = { maxBytes: NO_LIMIT, maxActive: 24, maxPerOwner: 8, maxRunning: NO_LIMIT }
/** Files up to this size are decoded in seconds; they may exceed those limits, so that a clip never waits for long files. */
const SMALL: DecodeLimits = { maxBytes: 8 * 1024 * 1024, maxActive: 72, maxPerOwner: 24, maxRunning: NO_LIMIT }
/** Small files can be slow too, so that an owner with many would keep the clips of others waiting. */
const SMALL_OF_OTHERS: DecodeLimits = { ...SMALL, maxRunning: 1 }
/** What may be decoded next, by how many decodes run: one slot is for small files, and one for owners with no running decode. */
const NEXT = [[ANY, SMALL], [ANY, SMALL], [SMALL], [SMALL_OF_OTHERS]]

export function createDecodeKind (decoding: Pick<Decoding, 'claim' | 'decode'>): Kind {
  return {
    kind: 'decode',
    lane: { slots: NEXT.length, claims: (running) => repeat(() => decoding.claim(NEXT[running()] ?? [])) },
    run: decoding.decode
  }
}
