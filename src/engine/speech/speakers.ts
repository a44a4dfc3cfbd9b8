/** The seam for telling speakers apart. No engine stands behind it yet: transcripts come without speakers. */
import type { SpeakerTurn } from '../../domain/speaker.js'

export type SpeakerEngine = {
  /** Who talks when in 16 kHz mono s16le sound. May reject for any reason: the transcript is then without speakers. */
  findTurns (audioPath: string, signal: AbortSignal): Promise<SpeakerTurn[]>
}
