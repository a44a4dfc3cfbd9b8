/** Identifying speakers, beside transcription: it takes no slot of a window. */
import type { Diarizing } from '../../service/diarizing.js'
import { repeat } from '../kind.js'
import type { Kind } from '../kind.js'

const SLOTS = 2
const ANY = { maxDurationMs: Number.MAX_SAFE_INTEGER }
/** Recordings up to this length are done in seconds. The last free slot is for them, so that a clip never waits for long recordings. */
const SHORT = { maxDurationMs: 10 * 60_000 }

export function createSpeakersKind (diarizing: Pick<Diarizing, 'claim' | 'run'>): Kind {
  return {
    kind: 'speakers',
    lane: { slots: SLOTS, claims: (running) => repeat(() => diarizing.claim(running() === SLOTS - 1 ? SHORT : ANY)) },
    run: diarizing.run
  }
}
