/** Who speaks when: worth having, but never worth a transcript. */
import { assignSpeakers } from '../domain/speaker.js'
import type { Log } from '../domain/log.js'
import type { SpeakerEngine } from '../engine/speech/speakers.js'
import type { InTransaction } from '../store/database.js'
import type { Files } from '../store/files.js'
import type { TranscriptStore } from '../store/transcripts.js'

/** Speakers of the longest recording are told apart in this time, or not at all. */
const TIMEOUT_MS = 60 * 60_000

type Deps = {
  speakers: SpeakerEngine
  transcripts: Pick<TranscriptStore, 'nameSpeakers'>
  files: Pick<Files, 'audioPath'>
  inTransaction: InTransaction
  log: Log
}

export function createSpeakerNaming ({ speakers, transcripts, files, inTransaction, log }: Deps) {
  return {
    /** Gives the words of a job their speakers; when that fails, there are none. */
    async name (jobId: number): Promise<void> {
      try {
        const turns = await speakers.findTurns(files.audioPath(jobId), AbortSignal.timeout(TIMEOUT_MS))
        inTransaction(() => { transcripts.nameSpeakers(jobId, (segments) => assignSpeakers(segments, turns)) })
      } catch (error) {
        log.warn({ jobId, err: error }, 'speakers could not be told apart')
      }
    }
  }
}
export type SpeakerNaming = ReturnType<typeof createSpeakerNaming>
