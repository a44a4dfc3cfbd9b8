/** Schemas that several routes share, and the JSON forms of jobs and transcriptions. */
import Type from 'typebox'
import type { Static, TSchema } from 'typebox'
import { MAX_NAME_LENGTH, NAME_PATTERN } from '../../domain/access.js'
import { ChannelMode } from '../../domain/channels.js'
import { FAILURE_CODES, FAILURE_MESSAGES } from '../../domain/errors.js'
import { toIsoCode } from '../../domain/language.js'
import { jobProgress, JobStatus, MAX_PROMPT_LENGTH, STAGES, SttQuality } from '../../domain/job.js'
import type { Job as StoredJob } from '../../domain/job.js'
import { MAX_RECORDING_NAME_LENGTH } from '../../domain/recording-name.js'
import { SpeakersOption } from '../../domain/speaker-options.js'
import { MAX_LANGUAGE_LENGTH } from '../../domain/submission.js'
import { TERMS_RULE } from '../../domain/terms.js'
import { toSeconds } from '../../domain/transcript.js'
import { Warning } from '../../domain/warnings.js'
import type { JobView } from '../../service/transcripts.js'

/** A success envelope around `data`. The description and example of `data` become those of the reply. */
export function Success<T extends TSchema> (data: T) {
  const { description = '', examples = [] } = data as { description?: string, examples?: unknown[] }
  return Type.Object({ success: Type.Literal(true), data }, { description, examples: examples.map((example) => ok(example)) })
}

/** The error envelope. */
export const ErrorBody = Type.Object({
  success: Type.Literal(false),
  error: Type.String({ description: 'a message for people' }),
  code: Type.String({ description: 'a stable code for programs' }),
  requestId: Type.String({ description: 'id of the request in the log' })
}, { title: 'Error' })

/** The error in the form of RFC 9457, for clients that ask for `application/problem+json`. */
export const Problem = Type.Object({
  type: Type.String(),
  title: Type.String({ description: 'the reason phrase of the status' }),
  status: Type.Integer(),
  detail: Type.String({ description: 'the same as error' }),
  ...ErrorBody.properties
}, { title: 'Problem' })

export function ok<T> (data: T): { success: true, data: T } {
  return { success: true, data }
}

/** Ids are SQLite row ids: positive, and exact in JSON up to 2^53 - 1. */
export const Id = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
export const IdParams = Type.Object({ id: Id })

/** Names of owners and keys. */
export const Name = Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH, pattern: NAME_PATTERN })

/** `cleanTerms` validates them. */
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
      maxLength: MAX_PROMPT_LENGTH, description: 'text that could come before the recording; the model follows its wording and style'
    })),
    channels: Type.Optional(ChannelMode),
    speakers: Type.Optional(SpeakersOption)
  }, { additionalProperties: false }))
}

const Time = (description: string) => Type.String({ format: 'date-time', description })

export const Job = Type.Object({
  jobId: Type.Integer({ description: 'also the id of the transcription' }),
  status: JobStatus
}, { title: 'Job', description: 'The new job.', examples: [{ jobId: 42, status: 'queued' }] })

export const RetriedJob = Type.Object({
  ...Job.properties,
  retryCount: Type.Integer({ minimum: 0, description: 'number of retries so far' }),
  retryable: Type.Boolean({ description: 'whether the job can be retried now' })
}, {
  title: 'RetriedJob',
  description: 'The job is queued again.',
  examples: [{ jobId: 42, status: 'queued', retryCount: 1, retryable: false }]
})

export const Failure = Type.Object({
  code: Type.Enum(FAILURE_CODES),
  message: Type.String({ description: 'a message for people' })
}, { title: 'Failure' })

const Progress = Type.Number({
  minimum: 0, maximum: 100, description: 'percent done; fetching a recording from a URL is the first tenth'
})

export const JobState = Type.Object({
  id: Type.Integer(),
  status: JobStatus,
  progress: Progress,
  transcriptText: Type.Optional(Type.String({ description: 'only if completed' })),
  failure: Type.Union([Failure, Type.Null()]),
  warnings: Type.Array(Warning, { description: 'problems with the text; usually empty' }),
  retryCount: Type.Integer({ minimum: 0 }),
  retryable: Type.Boolean(),
  webhooks: Type.Object({ pending: Type.Integer(), delivered: Type.Integer(), failed: Type.Integer() }, {
    description: 'number of webhook events by delivery state'
  }),
  updatedAt: Time('time of the last change')
}, {
  title: 'JobStatus',
  description: 'The state of the job.',
  examples: [{
    id: 42, status: 'completed', progress: 100, transcriptText: 'The meeting starts at nine.', failure: null, warnings: [],
    retryCount: 0, retryable: false, webhooks: { pending: 0, delivered: 1, failed: 0 }, updatedAt: '2026-11-21T09:30:00.000Z'
  }]
})

/** Status words of transcriptions. `queued` jobs are `pending` here. */
export const TRANSCRIPTION_STATUSES = ['pending', 'processing', 'completed', 'failed'] as const

/** A transcription without its text. */
export const ListedTranscription = Type.Object({
  id: Type.Integer({ description: 'also the id of the job' }),
  status: Type.Enum(TRANSCRIPTION_STATUSES),
  language: Type.Optional(Type.String({ description: 'ISO 639-1 code; absent if there is no speech' })),
  durationSeconds: Type.Optional(Type.Number({ description: 'duration of the recording' })),
  duration: Type.Optional(Type.Number({ description: 'the same as durationSeconds' })),
  fileName: Type.String(),
  title: Type.Optional(Type.String({ description: 'title given by a person, or else by the source' })),
  tags: Type.Array(Type.String(), { description: 'given by people, in their order' }),
  speakers: Type.Array(Type.String(), { description: 'names or labels, in the order in which they first talk; empty if not identified' }),
  progress: Progress,
  stage: Type.Enum(STAGES, { description: 'what is done now; of a failed job, where it failed' }),
  failure: Type.Optional(Failure),
  sourceUrl: Type.Optional(Type.String({ description: 'URL of the recording, without credentials' })),
  publishedAt: Type.Optional(Time('date given by the source')),
  createdAt: Time('creation time of the job')
}, {
  title: 'ListedTranscription',
  examples: [{
    id: 42, status: 'completed', language: 'en', durationSeconds: 2.7, duration: 2.7, fileName: 'meeting.mp3', title: 'Weekly meeting',
    tags: ['work'], speakers: ['Anna', 'Speaker 2'], progress: 100, stage: 'complete', createdAt: '2026-11-21T09:29:00.000Z'
  }]
})

export const Transcription = Type.Object({
  ...ListedTranscription.properties,
  text: Type.Optional(Type.String({ description: 'only if completed' })),
  transcriptText: Type.Optional(Type.String({ description: 'the same as text' })),
  speakerCount: Type.Optional(Type.Integer({ minimum: 0, description: 'only if speakers were identified' })),
  warnings: Type.Array(Warning, { description: 'problems with the text; usually empty' })
}, {
  title: 'Transcription',
  description: 'The transcription.',
  examples: [{
    id: 42, status: 'completed', text: 'The meeting starts at nine.', transcriptText: 'The meeting starts at nine.', language: 'en',
    durationSeconds: 2.7, duration: 2.7, fileName: 'meeting.mp3', tags: [], speakers: [], progress: 100, stage: 'complete',
    createdAt: '2026-11-21T09:29:00.000Z', warnings: []
  }]
})

/** ISO 8601 time of JSON from the milliseconds used inside. */
export const toIsoTime = (ms: number): string => new Date(ms).toISOString()

export function toJobState (job: JobView): Static<typeof JobState> {
  return {
    id: job.id,
    status: job.status,
    progress: jobProgress(job),
    ...(job.text === undefined ? {} : { transcriptText: job.text }),
    failure: job.failureCode ? { code: job.failureCode, message: FAILURE_MESSAGES[job.failureCode] } : null,
    warnings: job.warnings,
    retryCount: job.retryCount,
    retryable: job.isRetryable,
    webhooks: job.webhooks,
    updatedAt: toIsoTime(job.updatedAt)
  }
}

function toSourceFields (source: StoredJob['source']): Pick<Static<typeof ListedTranscription>, 'title' | 'sourceUrl' | 'publishedAt'> {
  if (!source) return {}
  const { title, url, publishedAt } = source
  return {
    ...(title === undefined ? {} : { title }),
    sourceUrl: url,
    ...(publishedAt === undefined ? {} : { publishedAt: toIsoTime(publishedAt) })
  }
}

/** A job as a transcription without text: `queued` becomes `pending`, and the duration has two names. */
export function toListed (job: StoredJob): Static<typeof ListedTranscription> {
  const seconds = job.durationMs === undefined ? undefined : toSeconds(job.durationMs)
  return {
    id: job.id,
    status: job.status === 'queued' ? 'pending' : job.status,
    ...(job.language === undefined ? {} : { language: toIsoCode(job.language) }),
    ...(seconds === undefined ? {} : { durationSeconds: seconds, duration: seconds }),
    fileName: job.fileName,
    ...toSourceFields(job.source),
    ...(job.title === undefined ? {} : { title: job.title }),
    tags: job.tags,
    speakers: job.speakers,
    progress: jobProgress(job),
    stage: job.stage,
    ...(job.failureCode === undefined ? {} : { failure: { code: job.failureCode, message: FAILURE_MESSAGES[job.failureCode] } }),
    createdAt: toIsoTime(job.createdAt)
  }
}

/** With the text, under both of its names. */
export function toTranscription (job: JobView): Static<typeof Transcription> {
  return {
    ...toListed(job),
    ...(job.text === undefined ? {} : { text: job.text, transcriptText: job.text }),
    ...(job.speakerCount === undefined ? {} : { speakerCount: job.speakerCount }),
    warnings: job.warnings
  }
}
