/** Indexing transcripts for search. The embedder has one thread; several jobs share it, so that a clip never waits for a long recording. */
import type { Indexing } from '../../service/indexing.js'
import { repeat } from '../kind.js'
import type { Kind } from '../kind.js'

const SLOTS = 4

export function createIndexKind (indexing: Pick<Indexing, 'claim' | 'index'>): Kind {
  return {
    kind: 'index',
    lane: { slots: SLOTS, claims: () => repeat(indexing.claim) },
    async run (claim, signal, wake) {
      await indexing.index(claim, signal)
      wake()
    }
  }
}
