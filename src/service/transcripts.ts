/** Jobs and their transcripts, as callers see them. */
import type { Principal } from '../domain/access.js'
import { AppError } from '../domain/errors.js'
import { toIsoCode } from '../domain/language.js'
import type { Job } from '../domain/job.js'
import { transcriptText } from '../domain/transcript.js'
import type { TimedSegment } from '../domain/transcript.js'
import { toExportName } from '../formats/file-name.js'
import { EXPORT_FORMATS, FORMATS } from '../formats/index.js'
import type { Chunks, ExportFormat } from '../formats/index.js'
import type { JobStore } from '../store/jobs.js'
import type { TranscriptStore } from '../store/transcripts.js'
import type { Plans } from './plans.js'

export { EXPORT_FORMATS }

type Deps = { jobs: JobStore, transcripts: TranscriptStore, plans: Pick<Plans, 'limitsOf'> }

/** A job with the text it came to; `text` only when completed. */
export type JobView = Job & { text: string | undefined }

/** Who asks for an export: an owner, on a plan. */
export type Reader = Pick<Principal, 'ownerId' | 'plan'>

/** A transcript as a file. `chunks` are made while they are read, and can be read once. */
export type Export = { fileName: string, contentType: string, chunks: Chunks }

/** Formats that are not text, and make no sense on a terminal. */
export const isBinaryFormat = (format: ExportFormat): boolean => FORMATS[format].isBinary

function * withoutSpeakers (segments: Iterable<TimedSegment>): Generator<TimedSegment> {
  for (const { speaker: _, words, ...segment } of segments) yield { ...segment, words: words.map(({ speaker: _, ...word }) => word) }
}

export function createTranscripts ({ jobs, transcripts, plans }: Deps) {
  function findOwned (id: number, ownerId: number): Job {
    const job = jobs.findOwned(id, ownerId)
    if (!job) throw new AppError('not_found', 'There is no such transcription.')
    return job
  }

  return {
    /** Throws `not_found` when absent or another's. */
    read (id: number, ownerId: number): JobView {
      const job = findOwned(id, ownerId)
      return { ...job, text: job.status === 'completed' ? transcriptText(transcripts.listTexts(id)) : undefined }
    },
    /**
     * Nothing is stored: every call renders anew. Speakers are there on plans that tell them apart. Throws `not_found`, and `not_completed`
     * while there is nothing to export.
     */
    render (id: number, { ownerId, plan }: Reader, format: ExportFormat): Export {
      const job = findOwned(id, ownerId)
      if (job.status !== 'completed') {
        throw new AppError('not_completed', `The transcription is ${job.status}: only a completed one can be exported.`)
      }
      const segments = transcripts.iterate(id)
      const chunks = FORMATS[format].render({
        id,
        fileName: job.fileName,
        language: job.language === undefined ? undefined : toIsoCode(job.language),
        durationMs: job.durationMs ?? 0,
        segments: plans.limitsOf(plan).diarization ? segments : withoutSpeakers(segments)
      })
      return { fileName: toExportName(job.fileName, format, `transcription-${id}`), contentType: FORMATS[format].contentType, chunks }
    }
  }
}
export type Transcripts = ReturnType<typeof createTranscripts>
