/** Shapes several routes share, and the wire forms of jobs and transcriptions. */
import Type from 'typebox'
import type { Static, TSchema } from 'typebox'
import { FAILURE_MESSAGES } from '../domain/errors.js'
import { toIsoCode } from '../domain/language.js'
import { jobProgress, JobStatus } from '../domain/job.js'
import { toSeconds } from '../domain/transcript.js'
import type { JobView } from '../service/transcripts.js'

/** A success envelope around `data`. */
export const Success = <T extends TSchema>(data: T) => Type.Object({ success: Type.Literal(true), data })

export function ok<T> (data: T): { success: true, data: T } {
  return { success: true, data }
}

/** Ids are SQLite row ids: positive, and exact in JSON up to 2^53 - 1. */
export const IdParams = Type.Object({ id: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }) })

export const Job = Type.Object({ jobId: Type.Integer(), status: JobStatus })

export const JobState = Type.Object({
  id: Type.Integer(),
  status: JobStatus,
  progress: Type.Number({ minimum: 0, maximum: 100 }),
  transcriptText: Type.Optional(Type.String()),
  failure: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()]),
  retryCount: Type.Integer({ minimum: 0 }),
  retryable: Type.Boolean(),
  webhooks: Type.Object({ pending: Type.Integer(), delivered: Type.Integer(), failed: Type.Integer() }),
  updatedAt: Type.String({ format: 'date-time' })
})

export const Transcription = Type.Object({
  id: Type.Integer(),
  status: Type.Enum(['pending', 'processing', 'completed', 'failed']),
  text: Type.Optional(Type.String()),
  transcriptText: Type.Optional(Type.String()),
  language: Type.Optional(Type.String()),
  durationSeconds: Type.Optional(Type.Number()),
  duration: Type.Optional(Type.Number()),
  fileName: Type.String(),
  createdAt: Type.String({ format: 'date-time' })
})

const iso = (ms: number): string => new Date(ms).toISOString()

export function toJobState (job: JobView): Static<typeof JobState> {
  return {
    id: job.id,
    status: job.status,
    progress: jobProgress(job),
    ...(job.text === undefined ? {} : { transcriptText: job.text }),
    failure: job.failureCode ? { code: job.failureCode, message: FAILURE_MESSAGES[job.failureCode] } : null,
    retryCount: job.retryCount,
    // There is no retry operation yet, so nothing can be retried.
    retryable: false,
    webhooks: { pending: 0, delivered: 0, failed: 0 },
    updatedAt: iso(job.updatedAt)
  }
}

/** The same aggregate as a transcription: `queued` reads `pending` here, and text and length carry both spellings. */
export function toTranscription (job: JobView): Static<typeof Transcription> {
  const seconds = job.durationMs === undefined ? undefined : toSeconds(job.durationMs)
  return {
    id: job.id,
    status: job.status === 'queued' ? 'pending' : job.status,
    ...(job.text === undefined ? {} : { text: job.text, transcriptText: job.text }),
    ...(job.language === undefined ? {} : { language: toIsoCode(job.language) }),
    ...(seconds === undefined ? {} : { durationSeconds: seconds, duration: seconds }),
    fileName: job.fileName,
    createdAt: iso(job.createdAt)
  }
}
