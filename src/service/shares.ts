/** Sharing of single transcriptions by links that expire. Off unless it is configured. */
import { AppError } from '../domain/errors.js'
import { shownTitle } from '../domain/job.js'
import type { Job } from '../domain/job.js'
import { toIsoCode } from '../domain/language.js'
import { generateSecret, hashSecret } from '../domain/page-session.js'
import type { Share, SharedJob } from '../domain/share.js'
import { renderSegments } from '../formats/json.js'
import type { InTransaction } from '../store/database.js'
import type { JobStore } from '../store/jobs.js'
import type { OwnerStore } from '../store/owners.js'
import type { ShareStore } from '../store/shares.js'
import type { TranscriptStore } from '../store/transcripts.js'
import type { Playback, Playable } from './playback.js'
import type { Plans } from './plans.js'
import { findOwnedJob, withoutSpeakers } from './transcripts.js'

const DAY_MS = 24 * 3600_000
/** Links of one transcription. */
const MAX_LINKS = 50
/** How long an expired link still says that it has expired. After that, it is unknown. */
const REMEMBERED_MS = 30 * DAY_MS

/** What a link shows. `segments`: JSON in pieces, as in the json export; rendered lazily, and can be read only once. */
export type SharedTranscript = {
  ownerId: number
  title: string
  language: string | undefined
  durationMs: number
  expiresAt: number
  segments: Iterable<string>
}

type Deps = {
  isOn: boolean
  shares: ShareStore
  jobs: Pick<JobStore, 'findOwned'>
  owners: Pick<OwnerStore, 'find'>
  transcripts: Pick<TranscriptStore, 'iterate'>
  plans: Pick<Plans, 'limitsOf'>
  /** With streams of its own: those of an owner must not end because many people follow a link. */
  playback: Pick<Playback, 'file' | 'end'>
  inTransaction: InTransaction
  now: () => number
}

export function createShares ({ isOn, shares, jobs, owners, transcripts, plans, playback, inTransaction, now }: Deps) {
  function requireOn (): void {
    if (!isOn) throw new AppError('sharing_off', 'Sharing is off. The administrator can turn it on with STENOBOX_SHARING=true.')
  }

  /** Throws `not_found` for a job of another owner, `sharing_off`. */
  function requireOwned (jobId: number, ownerId: number): Job {
    const job = findOwnedJob(jobs, jobId, ownerId)
    requireOn()
    return job
  }

  /** Throws `sharing_off`, `not_found` for an unknown or removed link, `gone` for one that has expired. */
  function requireShare (token: string): SharedJob {
    requireOn()
    const share = shares.findByHash(hashSecret(token))
    if (!share) throw new AppError('not_found', 'There is no such link, or it was removed. Ask the person who sent it for a new one.')
    if (share.expiresAt <= now()) throw new AppError('gone', 'This link has expired. Ask the person who sent it for a new one.')
    return share
  }

  return {
    /**
     * Makes a link to a completed transcription. The token is returned only here. Throws `sharing_off`, `not_found`, `not_completed`, and
     * `conflict` when the transcription has too many links.
     */
    create: (jobId: number, ownerId: number, days: number): { share: Share, token: string } => inTransaction(() => {
      const job = requireOwned(jobId, ownerId)
      if (job.status !== 'completed') {
        throw new AppError('not_completed', `The transcription is ${job.status}. Only completed transcriptions can be shared.`)
      }
      const at = now()
      if (shares.list(jobId, at).length >= MAX_LINKS) {
        throw new AppError('conflict', `This transcription has ${MAX_LINKS} links. Remove one of them first.`)
      }
      const token = generateSecret()
      return { token, share: shares.insert({ jobId, hash: hashSecret(token), now: at, expiresAt: at + days * DAY_MS }) }
    }),
    /** Links that have not expired. Throws `sharing_off`, `not_found`. */
    list (jobId: number, ownerId: number): Share[] {
      requireOwned(jobId, ownerId)
      return shares.list(jobId, now())
    },
    /** Ends a link, and what is being listened to by links of its transcription. Throws `sharing_off`, `not_found`. */
    remove (id: number, jobId: number, ownerId: number): void {
      requireOwned(jobId, ownerId)
      if (!shares.remove(id, jobId)) throw new AppError('not_found', 'There is no such link. It may have been removed already.')
      playback.end(jobId)
    },
    /** What a link shows. Throws `sharing_off`, `not_found`, `gone`, and `not_completed` while it is transcribed again. */
    read (token: string): SharedTranscript {
      const { jobId, ownerId, expiresAt } = requireShare(token)
      const job = findOwnedJob(jobs, jobId, ownerId)
      if (job.status !== 'completed') throw new AppError('not_completed', 'The transcription is not completed. Try again later.')
      const plan = owners.find(ownerId)?.plan
      const segments = transcripts.iterate(jobId)
      const hasSpeakers = plan !== undefined && plans.limitsOf(plan).diarization
      return {
        ownerId,
        title: shownTitle(job),
        language: job.language === undefined ? undefined : toIsoCode(job.language),
        durationMs: job.durationMs ?? 0,
        expiresAt,
        segments: renderSegments(hasSpeakers ? segments : withoutSpeakers(segments))
      }
    },
    /**
     * The recording, under the title that the link shows: the name of the file may say more. Throws the same, and `gone` when it is no
     * longer stored.
     */
    async listen (token: string): Promise<Playable> {
      const { jobId, ownerId } = requireShare(token)
      // Before the file is opened: nothing would close it if the job was deleted meanwhile.
      const fileName = shownTitle(findOwnedJob(jobs, jobId, ownerId))
      const playable = await playback.file(jobId, ownerId)
      return {
        ...playable,
        fileName,
        open (range) {
          // The link may have been removed while the file was opened: nothing would end the stream.
          requireShare(token)
          return playable.open(range)
        }
      }
    },
    /** Ends what is being listened to, of one job or of all. */
    endStreams: (jobId?: number): void => { playback.end(jobId) },
    /** Removes links that expired long ago. */
    sweep: (): void => { shares.removeExpired(now() - REMEMBERED_MS) }
  }
}
export type Shares = ReturnType<typeof createShares>
