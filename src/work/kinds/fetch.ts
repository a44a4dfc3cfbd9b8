/** Fetching the media of addresses. Fetches wait for the network more than they work. */
import type { Fetching, FetchLimits } from '../../service/fetching.js'
import { repeat } from '../kind.js'
import type { Kind } from '../kind.js'

const SLOTS = 4
/** Fetches of one owner, and recordings that are fetched and not decoded yet: those take disk. */
const LIMITS: FetchLimits = { maxPerOwner: 3, maxAhead: 24 }
/** The last free slot is for owners with no running fetch. */
const LAST_SLOT: FetchLimits = { ...LIMITS, maxPerOwner: 1 }

export function createFetchKind (fetching: Pick<Fetching, 'claim' | 'fetch'>): Kind {
  return {
    kind: 'fetch',
    lane: { slots: SLOTS, claims: (running) => repeat(() => fetching.claim(running() === SLOTS - 1 ? LAST_SLOT : LIMITS)) },
    run: fetching.fetch
  }
}
