/** The job: one request to transcribe one recording. A job and its transcription share one id. */
import Type from 'typebox'
import type { Static } from 'typebox'
import type { ChannelMode } from './channels.js'
import type { FailureCode } from './errors.js'
import type { RecordingName } from './recording-name.js'
import type { SourceFacts } from './source.js'
import type { SpeakerCount } from './speaker-clusters.js'

export const JOB_STATUSES = ['queued', 'processing', 'completed', 'failed'] as const
export const JobStatus = Type.Enum(JOB_STATUSES)
export type JobStatus = Static<typeof JobStatus>

/** Stages in the order in which they run. A finished stage is not repeated. */
export const STAGES = ['fetch', 'decode', 'language', 'transcribe', 'speakers', 'index', 'complete'] as const
export type Stage = typeof STAGES[number]

export const STT_QUALITIES = ['fast', 'balanced', 'accurate'] as const
export const SttQuality = Type.Enum(STT_QUALITIES)
export type SttQuality = Static<typeof SttQuality>

export type JobOptions = {
  /** Whisper's code of the spoken language; absent: detect it. */
  language?: string
  sttQuality: SttQuality
  /** Names and terms to expect: those of the request, then those of the owner when the job was created. */
  terms?: string[]
  /** Text that the decoder treats as preceding the recording; the transcript follows its wording and style. */
  prompt?: string
  /** How the channels of a stereo recording are transcribed; absent: `auto`. */
  channels?: ChannelMode
  /** false: speakers are not identified; absent: they are if the plan includes them. */
  speakers?: false | SpeakerCount
}

/** The longest prompt, in characters. The decoder sees only its last 224 tokens. */
export const MAX_PROMPT_LENGTH = 2000

/**
 * How often one piece of work is begun before its job fails. High, because frequent restarts of the appliance are not the recording's
 * fault: only a piece that crashes the process every time should reach this limit.
 */
export const MAX_ATTEMPTS = 25

/** The part of the progress that fetching takes, in percent, for jobs with a URL. */
const FETCH_PERCENT = 10

/** Errors (not crashes) of one window after which the job fails. */
export const MAX_WINDOW_ERRORS = 2

/** Times a failed job may be retried. */
const MAX_RETRIES = 3

/** The URL that a job's media comes from. */
export type JobSource = SourceFacts & {
  /** Without secrets, so that it can be shown. */
  url: string
  /** Share that has arrived, 0 to 1. */
  fetched: number
}

export type Job = {
  id: number
  ownerId: number
  status: JobStatus
  stage: Stage
  mediaId: number
  /** Undefined for uploads and local files. */
  source: JobSource | undefined
  fileName: RecordingName
  /** Given by a person. */
  title: RecordingName | undefined
  tags: string[]
  /** Names or labels, in the order in which they first talk; empty until speakers are identified. */
  speakers: string[]
  options: JobOptions
  /** Whisper's code of the language that the caller asked for, or else the one that was detected; undefined until then. */
  language: string | undefined
  /** Length of the decoded audio; undefined until decoding has ended. */
  durationMs: number | undefined
  /** How many channels are transcribed one by one; 1 when they are mixed, and until decoding has ended. */
  channels: number
  /** Audio that is done: transcribed, or known to hold no speech. */
  doneMs: number
  failureCode: FailureCode | undefined
  retryCount: number
  createdAt: number
  updatedAt: number
  completedAt: number | undefined
}

/**
 * Progress in percent, 0 to 100 with one decimal: fetching, if any, then transcribing. Only completed jobs have 100, because the last
 * window is not the last step. A failed job keeps its progress.
 */
export function jobProgress (job: Pick<Job, 'status' | 'source' | 'durationMs' | 'doneMs'>): number {
  if (job.status === 'completed') return 100
  const fetchPercent = job.source ? FETCH_PERCENT : 0
  const done = job.durationMs ? job.doneMs / job.durationMs : 0
  const percent = fetchPercent * (job.source?.fetched ?? 0) + (100 - fetchPercent) * done
  return Math.min(99.9, Math.floor(10 * percent) / 10)
}

/** The title that people see: their own, that of the source, or the file name. */
export const shownTitle = ({ title, source, fileName }: Pick<Job, 'title' | 'source' | 'fileName'>): string =>
  title ?? source?.title ?? fileName

export function hasEnded ({ status }: Pick<Job, 'status'>): boolean {
  return status === 'completed' || status === 'failed'
}

/** Why a job cannot be retried; undefined when it can. `hasSource`: whether its recording is still available. */
export function whyNotRetryable (
  { status, retryCount }: Pick<Job, 'status' | 'retryCount'>, hasSource: () => boolean
): 'not_failed' | 'retries_used' | 'source_gone' | undefined {
  if (status !== 'failed') return 'not_failed'
  if (retryCount >= MAX_RETRIES) return 'retries_used'
  return hasSource() ? undefined : 'source_gone'
}
