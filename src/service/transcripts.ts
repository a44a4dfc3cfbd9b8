/** Jobs and their transcripts, as callers see them. */
import { AppError } from '../domain/errors.js'
import { toIsoCode } from '../domain/language.js'
import type { Job } from '../domain/job.js'
import { transcriptText } from '../domain/transcript.js'
import type { Transcript } from '../domain/transcript.js'
import { EXPORT_FORMATS, FORMATS } from '../formats/index.js'
import type { ExportFormat, Rendered } from '../formats/index.js'
import type { JobStore } from '../store/jobs.js'
import type { TranscriptStore } from '../store/transcripts.js'

export { EXPORT_FORMATS }

type Deps = { jobs: JobStore, transcripts: TranscriptStore }

/** A job with the text it came to; `text` only when completed. */
export type JobView = Job & { text: string | undefined }

export function createTranscripts ({ jobs, transcripts }: Deps) {
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
    /** Throws `not_found`, and `not_completed` while there is nothing to export. */
    render (id: number, ownerId: number, format: ExportFormat): Rendered {
      const job = findOwned(id, ownerId)
      if (job.status !== 'completed') {
        throw new AppError('not_completed', `The transcription is ${job.status}: only a completed one can be exported.`)
      }
      const transcript: Transcript = {
        id,
        fileName: job.fileName,
        language: job.language === undefined ? undefined : toIsoCode(job.language),
        durationMs: job.durationMs ?? 0,
        segments: transcripts.list(id)
      }
      return FORMATS[format].render(transcript)
    }
  }
}
export type Transcripts = ReturnType<typeof createTranscripts>
