/** Transcribing windows, and the lane of everything that runs on the threads of the pool. */
import type { Transcribing } from '../../service/transcribing.js'
import { repeat } from '../kind.js'
import type { Kind, Lane } from '../kind.js'

/** `slots`: threads of the pool. */
export function createPoolLane (transcribing: Pick<Transcribing, 'claim'>, slots: number): Lane {
  return { slots, claims: () => repeat(transcribing.claim) }
}

export function createTranscribeKind (transcribing: Pick<Transcribing, 'transcribe'>, lane: Lane): Kind {
  return { kind: 'transcribe', lane, run: transcribing.transcribe }
}
