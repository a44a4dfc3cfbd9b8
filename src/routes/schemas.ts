/** Shapes several routes share, and the wire forms of jobs and transcriptions. */
import Type from 'typebox'
import type { Static, TSchema } from 'typebox'
import { MAX_NAME_LENGTH, NAME_PATTERN } from '../domain/access.js'
import { FAILURE_CODES, FAILURE_MESSAGES } from '../domain/errors.js'
import { toIsoCode } from '../domain/language.js'
import { jobProgress, JobStatus, MAX_PROMPT_LENGTH, SttQuality } from '../domain/job.js'
import type { Job as StoredJob } from '../domain/job.js'
import { MAX_RECORDING_NAME_LENGTH } from '../domain/recording-name.js'
import { MAX_LANGUAGE_LENGTH } from '../domain/submission.js'
import { TERMS_RULE } from '../domain/terms.js'
import { toSeconds } from '../domain/transcript.js'
import { Warning } from '../domain/warnings.js'
import type { JobView } from '../service/transcripts.js'

/** A success envelope around `data`, which carries the description and the example of the reply. */
export function Success<T extends TSchema> (data: T) {
  const { description = '', examples = [] } = data as { description?: string, examples?: unknown[] }
  return Type.Object({ success: Type.Literal(true), data }, { description, examples: examples.map((example) => ok(example)) })
}

/** The error envelope. */
export const ErrorBody = Type.Object({
  success: Type.Literal(false),
  error: Type.String({ description: 'a sentence for people' }),
  code: Type.String({ description: 'a stable token for programs' }),
  requestId: Type.String({ description: 'names the request in the log' })
}, { title: 'Error' })

/** The same as RFC 9457 has it, for clients that ask for `application/problem+json`. */
export const Problem = Type.Object({
  type: Type.String(),
  title: Type.String({ description: 'the phrase of the status' }),
  status: Type.Integer(),
  detail: Type.String({ description: 'the sentence of the envelope' }),
  ...ErrorBody.properties
}, { title: 'Problem' })

export function ok<T> (data: T): { success: true, data: T } {
  return { success: true, data }
}

/** Ids are SQLite row ids: positive, and exact in JSON up to 2^53 - 1. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export const IdParams = Type.Object({ id: Id })

/** What owners and keys are called. */
export const Name = Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH, pattern: NAME_PATTERN })

/** `cleanTerms` checks them. */
export const Terms = Type.Array(Type.String(), { description: TERMS_RULE })

/** What a recording is called. `parseRecordingName` cleans it. */
export const FileName = Type.String({ minLength: 1, maxLength: MAX_RECORDING_NAME_LENGTH })

/** How a recording is to be transcribed. `parseJobOptions` applies the rules, here and for every other way in. */
export const JobSettings = {
  language: Type.Optional(Type.String({ minLength: 1, maxLength: MAX_LANGUAGE_LENGTH })),
  options: Type.Optional(Type.Object({
    sttQuality: Type.Optional(SttQuality),
    terms: Type.Optional(Terms),
    prompt: Type.Optional(Type.String({
      maxLength: MAX_PROMPT_LENGTH, description: 'text that could precede the recording; the transcript follows its wording and style'
    }))
  }, { additionalProperties: false }))
}

const Time = (description: string) => Type.String({ format: 'date-time', description })

export const Job = Type.Object({
  jobId: Type.Integer({ description: 'also the id of the transcription' }),
  status: JobStatus
}, { title: 'Job', description: 'The job that was made.', examples: [{ jobId: 42, status: 'queued' }] })

export const RetriedJob = Type.Object({
  ...Job.properties,
  retryCount: Type.Integer({ minimum: 0, description: 'retries used' }),
  retryable: Type.Boolean({ description: 'whether it may be retried now' })
}, { title: 'RetriedJob', description: 'The job is queued again.', examples: [{ jobId: 42, status: 'queued', retryCount: 1, retryable: false }] })

export const Failure = Type.Object({
  code: Type.Enum(FAILURE_CODES),
  message: Type.String({ description: 'a sentence for people' })
}, { title: 'Failure' })

export const JobState = Type.Object({
  id: Type.Integer(),
  status: JobStatus,
  progress: Type.Number({ minimum: 0, maximum: 100, description: 'share of the work that is done, in percent: of fetching the recording, and of the recording' }),
  transcriptText: Type.Optional(Type.String({ description: 'when completed' })),
  failure: Type.Union([Failure, Type.Null()]),
  retryCount: Type.Integer({ minimum: 0 }),
  retryable: Type.Boolean(),
  webhooks: Type.Object({ pending: Type.Integer(), delivered: Type.Integer(), failed: Type.Integer() }, { description: 'events by how far their delivery is' }),
  updatedAt: Time('when the job last moved')
}, {
  title: 'JobStatus',
  description: 'How far the job is.',
  examples: [{
    id: 42, status: 'completed', progress: 100, transcriptText: 'The meeting starts at nine.', failure: null, retryCount: 0, retryable: false,
    webhooks: { pending: 0, delivered: 1, failed: 0 }, updatedAt: '2026-11-21T09:30:00.000Z'
  }]
})

/** The words transcriptions have for the states of their jobs. */
export const TRANSCRIPTION_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const

/** A transcription without its text. */
export const ListedTranscription = Type.Object({
  id: Type.Integer({ description: 'also the id of the job' }),
  status: Type.Enum(TRANSCRIPTION_STATUSES),
  language: Type.Optional(Type.String({ description: 'ISO 639-1 code; absent when nothing was said' })),
  durationSeconds: Type.Optional(Type.Number({ description: 'length of the recording' })),
  duration: Type.Optional(Type.Number({ description: 'the same as durationSeconds' })),
  fileName: Type.String(),
  title: Type.Optional(Type.String({ description: 'as the source has it' })),
  sourceUrl: Type.Optional(Type.String({ description: 'where it was fetched from, without credentials' })),
  publishedAt: Type.Optional(Time('as the source says')),
  createdAt: Time('when the job was made')
}, {
  title: 'ListedTranscription',
  examples: [{ id: 42, status: 'completed', language: 'en', durationSeconds: 2.7, duration: 2.7, fileName: 'meeting.mp3', createdAt: '2026-11-21T09:29:00.000Z' }]
})

export const Transcription = Type.Object({
  ...ListedTranscription.properties,
  text: Type.Optional(Type.String({ description: 'when completed' })),
  transcriptText: Type.Optional(Type.String({ description: 'the same as text' })),
  warnings: Type.Array(Warning, { description: 'what a reader of the text should know; mostly none' })
}, {
  title: 'Transcription',
  description: 'The transcription.',
  examples: [{
    id: 42, status: 'completed', text: 'The meeting starts at nine.', transcriptText: 'The meeting starts at nine.', language: 'en', durationSeconds: 2.7,
    duration: 2.7, fileName: 'meeting.mp3', createdAt: '2026-11-21T09:29:00.000Z', warnings: []
  }]
})

/** Time as JSON has it; inside it is milliseconds. */
export const toIsoTime = (ms: number): string => new Date(ms).toISOString()

export function toJobState (job: JobView): Static<typeof JobState> {
  return {
    id: job.id,
    status: job.status,
    progress: jobProgress(job),
    ...(job.text === undefined ? {} : { transcriptText: job.text }),
    failure: job.failureCode ? { code: job.failureCode, message: FAILURE_MESSAGES[job.failureCode] } : null,
    retryCount: job.retryCount,
    retryable: job.isRetryable,
    webhooks: job.webhooks,
    updatedAt: toIsoTime(job.updatedAt)
  }
}

function toSourceFields (source: StoredJob['source']): Pick<Static<typeof ListedTranscription>, 'title' | 'sourceUrl' | 'publishedAt'> {
  if (!source) return {}
  const { title, url, publishedAt } = source
  return { ...(title === undefined ? {} : { title }), sourceUrl: url, ...(publishedAt === undefined ? {} : { publishedAt: toIsoTime(publishedAt) }) }
}

/** The same aggregate as a transcription: `queued` reads `pending` here, and the length carries both spellings. */
export function toListed (job: StoredJob): Static<typeof ListedTranscription> {
  const seconds = job.durationMs === undefined ? undefined : toSeconds(job.durationMs)
  return {
    id: job.id,
    status: job.status === 'queued' ? 'pending' : job.status,
    ...(job.language === undefined ? {} : { language: toIsoCode(job.language) }),
    ...(seconds === undefined ? {} : { durationSeconds: seconds, duration: seconds }),
    fileName: job.fileName,
    ...toSourceFields(job.source),
    createdAt: toIsoTime(job.createdAt)
  }
}

/** With the text, in both spellings. */
export function toTranscription (job: JobView): Static<typeof Transcription> {
  return { ...toListed(job), ...(job.text === undefined ? {} : { text: job.text, transcriptText: job.text }), warnings: job.warnings }
}
