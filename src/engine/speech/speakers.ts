/** The interface for telling speakers apart. There is no implementation yet: transcripts have no speakers. */
import type { SpeakerTurn } from '../../domain/speaker.js'

export type SpeakerEngine = {
  /** Finds who talks when in 16 kHz mono s16le sound. May reject for any reason; the transcript then has no speakers. */
  findTurns (audioPath: string, signal: AbortSignal): Promise<SpeakerTurn[]>
}
