/** Adds speakers to a transcript. A failure here never fails the job. */
import { assignSpeakers } from '../domain/speaker.js'
import type { SpeakerTurn } from '../domain/speaker.js'
import type { Log } from '../domain/log.js'
import type { InTransaction } from '../store/database.js'
import type { Files } from '../store/files.js'
import type { TranscriptStore } from '../store/transcripts.js'

/** The most time that identifying the speakers of a recording may take. */
const TIMEOUT_MS = 60 * 60_000

/** Finds who talks when in 16 kHz mono s16le sound. May reject for any reason; the transcript then has no speakers. */
export type TurnFinder = { findTurns (audioPath: string, signal: AbortSignal): Promise<SpeakerTurn[]> }

type Deps = {
  speakers: TurnFinder
  transcripts: Pick<TranscriptStore, 'nameSpeakers'>
  files: Pick<Files, 'audioPath'>
  inTransaction: InTransaction
  log: Log
}

export function createSpeakerNaming ({ speakers, transcripts, files, inTransaction, log }: Deps) {
  return {
    /** Adds speakers to the words of a job. When that fails, the words have no speakers. */
    async name (jobId: number): Promise<void> {
      try {
        const turns = await speakers.findTurns(files.audioPath(jobId), AbortSignal.timeout(TIMEOUT_MS))
        inTransaction(() => { transcripts.nameSpeakers(jobId, (segments) => assignSpeakers(segments, turns)) })
      } catch (error) {
        log.warn({ jobId, err: error }, 'speakers could not be identified')
      }
    }
  }
}
export type SpeakerNaming = ReturnType<typeof createSpeakerNaming>
