/** Fetching the media of addresses. Fetches wait for the network more than they work. */
import { MAX_AHEAD } from '../../service/fetching.js'
import type { Fetching } from '../../service/fetching.js'
import { repeat } from '../kind.js'
import type { Kind } from '../kind.js'

/** How many fetches an owner may have after the next one, by how many run. The last two slots are for owners with no running fetch. */
const PER_OWNER = [3, 3, 3, 2, 1, 1]

export function createFetchKind (fetching: Pick<Fetching, 'claim' | 'fetch' | 'yieldPlace'>): Kind {
  return {
    kind: 'fetch',
    lane: {
      slots: PER_OWNER.length,
      claims: (running) => repeat(() => fetching.claim({ maxPerOwner: PER_OWNER[running()] ?? 1, maxAhead: MAX_AHEAD })),
      onFull: fetching.yieldPlace
    },
    run: fetching.fetch
  }
}
