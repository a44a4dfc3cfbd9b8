/** The speakers of a transcription, as its owner sees, names, merges and identifies them again. */
import { BYTES_PER_SAMPLE, SAMPLES_PER_MS } from '../domain/audio.js'
import { AppError } from '../domain/errors.js'
import type { FailureCode } from '../domain/errors.js'
import type { Job } from '../domain/job.js'
import { changeSpeakers, toLabel } from '../domain/speaker-names.js'
import type { SpeakerChanges } from '../domain/speaker-names.js'
import { areChannelsSpeakers, parseSpeakers } from '../domain/speaker-options.js'
import type { SpeakersOption } from '../domain/speaker-options.js'
import type { InTransaction } from '../store/database.js'
import type { Files } from '../store/files.js'
import type { JobStore } from '../store/jobs.js'
import type { MediaStore } from '../store/media.js'
import type { SpeakerStore } from '../store/speakers.js'
import type { WorkStore } from '../store/work.js'
import { requireDiarization } from './plans.js'
import type { Plans } from './plans.js'
import type { Submit } from './submit.js'
import { findOwnedJob } from './transcripts.js'
import type { Reader } from './transcripts.js'

/** `none`: speakers were not wanted. `speakers`: without those that were merged into others, by first word. */
export type SpeakersView = {
  status: 'none' | 'pending' | 'done' | 'failed'
  failure: FailureCode | undefined
  speakers: Array<{ label: string, name: string | undefined, talkMs: number }>
}

type Deps = {
  jobs: Pick<JobStore, 'findOwned'>
  speakers: SpeakerStore
  work: Pick<WorkStore, 'insert'>
  media: Pick<MediaStore, 'find'>
  plans: Pick<Plans, 'limitsOf'>
  files: Pick<Files, 'hasMedia'>
  submit: Pick<Submit, 'requireRoom'>
  inTransaction: InTransaction
}

/** Completed transcriptions of one owner whose speakers may wait to be identified again. */
const MAX_AGAIN = 20
const AGAIN_RETRY_SECONDS = 60

export function createSpeakers ({ jobs, speakers, work, media, plans, files, submit, inTransaction }: Deps) {
  const listeners: Array<() => void> = []
  const changeListeners: Array<(id: number) => void> = []

  /** Throws `not_found`, `not_in_plan`, `not_completed`. */
  function requireCompleted (id: number, { ownerId, plan }: Reader): Job {
    const job = findOwnedJob(jobs, id, ownerId)
    requireDiarization(plans, plan)
    if (job.status === 'completed') return job
    throw new AppError('not_completed', `The transcription is ${job.status}. Only completed transcriptions have speakers.`)
  }

  function view (id: number): SpeakersView {
    const diarization = speakers.find(id)
    return {
      status: diarization?.state ?? 'none',
      failure: diarization?.failure,
      speakers: speakers.list(id)
        .filter(({ mergedInto }) => mergedInto === undefined)
        .map(({ number, name, talkMs }) => ({ label: toLabel(number), name, talkMs }))
    }
  }

  function requireIdle (id: number): void {
    if (speakers.find(id)?.state !== 'pending') return
    throw new AppError('conflict', 'The speakers of this transcription are being identified. Try again when that is done.')
  }

  function requireShare (ownerId: number): void {
    if (speakers.countAgain(ownerId) < MAX_AGAIN) return
    throw new AppError('queue_full', `${MAX_AGAIN} of your transcriptions already wait for their speakers. Try again later.`, {
      headers: { 'retry-after': String(AGAIN_RETRY_SECONDS) }
    })
  }

  function requireMedia ({ mediaId }: Job): void {
    const stored = media.find(mediaId)
    if (stored?.state === 'stored' && files.hasMedia(stored.file)) return
    throw new AppError('gone', 'The recording is no longer stored, so its speakers cannot be identified again. Transcribe it again.')
  }

  return {
    /** Throws `not_found`, `not_in_plan`, `not_completed`. */
    list (id: number, caller: Reader): SpeakersView {
      return view(requireCompleted(id, caller).id)
    },
    /**
     * Merges and names speakers. Exports have the new names at once. Throws `not_found`, `not_in_plan`, `not_completed`, `conflict` while
     * speakers are being identified, and `invalid_request` as `changeSpeakers` does.
     */
    change: (id: number, caller: Reader, changes: SpeakerChanges): SpeakersView => inTransaction(() => {
      requireCompleted(id, caller)
      requireIdle(id)
      speakers.replace(id, changeSpeakers(speakers.list(id), changes))
      for (const listener of changeListeners) listener(id)
      return view(id)
    }),
    /**
     * Identifies the speakers of a completed transcription again, or for the first time. Until that is done, the transcript stays as it is;
     * then new labels replace the old ones, as in `keepNames`. Throws `not_found`, `not_in_plan`, `not_completed`, `invalid_request`,
     * `conflict` while that is under way, `gone` without a recording, `queue_full`, `insufficient_storage`.
     */
    async identify (id: number, caller: Reader, option: SpeakersOption): Promise<SpeakersView> {
      const { durationMs = 0 } = requireCompleted(id, caller)
      const count = parseSpeakers(option, 'speakers')
      if (!count) throw new AppError('invalid_request', 'speakers: must be true or an object')
      await submit.requireRoom(durationMs * SAMPLES_PER_MS * BYTES_PER_SAMPLE)
      inTransaction(() => {
        const job = requireCompleted(id, caller)
        requireIdle(id)
        if (!areChannelsSpeakers(job.channels, count)) requireMedia(job)
        requireShare(caller.ownerId)
        speakers.request(id, count)
        work.insert({ kind: 'speakers', jobId: id, run: job.retryCount })
      })
      for (const listener of listeners) listener()
      return view(id)
    },
    /** Calls `listener` with the id of a transcription whose speakers were named or merged, in the transaction of the change. */
    onChanged (listener: (id: number) => void): void {
      changeListeners.push(listener)
    },
    /** Calls `listener` whenever speakers are to be identified again. */
    onRequested (listener: () => void): void {
      listeners.push(listener)
    }
  }
}
export type Speakers = ReturnType<typeof createSpeakers>
