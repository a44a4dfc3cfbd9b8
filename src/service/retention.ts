/** How long recordings and transcripts are retained: until the job ends, until they reach a maximum age, or forever. */
import type { Owner } from '../domain/access.js'
import { AppError } from '../domain/errors.js'
import { agesOf, allowedAges } from '../domain/retention.js'
import type { Ages } from '../domain/retention.js'
import type { Files } from '../store/files.js'
import type { JobStore } from '../store/jobs.js'
import type { Media, MediaStore } from '../store/media.js'
import type { OwnerStore } from '../store/owners.js'
import type { Audit } from './audit.js'
import type { Removal } from './removal.js'

const DAY_MS = 24 * 60 * 60_000
/** Transcripts that are found at once. */
const BATCH = 100

type Deps = {
  jobs: Pick<JobStore, 'find' | 'listEndedBefore'>
  media: MediaStore
  owners: Pick<OwnerStore, 'find' | 'list' | 'setOwnRetention'>
  files: Pick<Files, 'removeMedia'>
  removal: Pick<Removal, 'remove'>
  /** False: media is removed when its transcript is complete. */
  keepMedia: boolean
  /** Maximum age of recordings of owners who have no setting of their own. 0: no maximum. */
  mediaDays: number
  /** The same for transcripts. */
  transcriptDays: number
  audit: Pick<Audit, 'record'>
  now: () => number
}

/** Ages that an owner sets; null: none. */
export type OwnAges = { mediaDays: number | null, transcriptDays: number | null }
/** `ages`: what applies. `keepsMedia`: false when recordings are deleted as soon as their transcript is complete. */
export type RetentionView = { ages: Ages, allowed: Ages, own: OwnAges, keepsMedia: boolean }

export function createRetention (deps: Deps) {
  const { jobs, media, owners, files, removal, keepMedia, audit, now } = deps

  async function removeFiles (removed: readonly Media[]): Promise<void> {
    for (const { file } of removed) await files.removeMedia(file)
  }

  async function removeTranscripts (ownerId: number, before: number): Promise<void> {
    for (let ids = jobs.listEndedBefore(ownerId, before, BATCH); ids.length > 0; ids = jobs.listEndedBefore(ownerId, before, BATCH)) {
      for (const id of ids) {
        await removal.remove(id, ownerId)
        audit.record({ actor: { type: 'appliance' }, operation: 'removeExpiredTranscription', target: { id, ownerId } })
      }
    }
  }

  async function removeOld (owner: Owner): Promise<void> {
    const [{ id }, { mediaDays, transcriptDays }] = [owner, agesOf(owner, deps)]
    if (transcriptDays > 0) await removeTranscripts(id, now() - transcriptDays * DAY_MS)
    if (mediaDays > 0) await removeFiles(media.expireOlder(id, now() - mediaDays * DAY_MS))
  }

  function find (ownerId: number): Owner {
    const owner = owners.find(ownerId)
    if (!owner) throw new AppError('not_found', 'There is no such owner.')
    return owner
  }

  function view (ownerId: number): RetentionView {
    const owner = find(ownerId)
    const { ownMediaDays = null, ownTranscriptDays = null } = owner
    return {
      ages: agesOf(owner, deps),
      allowed: allowedAges(owner, deps),
      own: { mediaDays: ownMediaDays, transcriptDays: ownTranscriptDays },
      keepsMedia: keepMedia
    }
  }

  /** Throws `invalid_request` for an age above what the administrator allows, where 0 allows every age. */
  function requireAllowed (field: string, days: number | null, allowed: number): void {
    if (days === null || allowed === 0 || days <= allowed) return
    throw new AppError('invalid_request', `${field}: at most ${allowed} days, which the administrator has set; you may only shorten it.`)
  }

  return {
    /** How long an owner's things are retained. Throws `not_found`. */
    read: view,
    /**
     * Changes the given ages that the owner sets, in days; null: none. What is too old then is deleted by the next sweep. Throws
     * `invalid_request` for more than the administrator allows, and `not_found`.
     */
    changeOwn (ownerId: number, changes: Partial<OwnAges>): RetentionView {
      const { allowed, own } = view(ownerId)
      const next = { ...own, ...changes }
      requireAllowed('recordingDays', changes.mediaDays ?? null, allowed.mediaDays)
      requireAllowed('transcriptDays', changes.transcriptDays ?? null, allowed.transcriptDays)
      owners.setOwnRetention(ownerId, next)
      return view(ownerId)
    },
    /**
     * Removes the media of an ended job, unless a retry needs it: a URL can be fetched again, but an upload exists only here.
     */
    async release (jobId: number): Promise<void> {
      const job = jobs.find(jobId)
      const removed = job && media.expire(job.mediaId, keepMedia)
      if (removed) await removeFiles([removed])
    },
    /** Removes media that was not released because of a crash, and transcripts and media that are too old. */
    async sweep (): Promise<void> {
      await removeFiles(media.expireUnused(keepMedia))
      for (const owner of owners.list({ after: 0, limit: -1 })) await removeOld(owner)
    }
  }
}
export type Retention = ReturnType<typeof createRetention>
