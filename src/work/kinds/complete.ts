/** Completing jobs whose last window is done. A piece of work, so that a process that dies in between leaves it to the next. */
import type { Ending } from '../../service/ending.js'
import { repeat } from '../kind.js'
import type { Kind } from '../kind.js'

const SLOTS = 4

export function createCompleteKind (ending: Pick<Ending, 'claim' | 'complete'>): Kind {
  return { kind: 'complete', lane: { slots: SLOTS, claims: () => repeat(ending.claim) }, run: ending.complete }
}
