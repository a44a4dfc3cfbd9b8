/** How long media is retained: until its job ends, until it reaches a maximum age, or forever. */
import type { Files } from '../store/files.js'
import type { JobStore } from '../store/jobs.js'
import type { Media, MediaStore } from '../store/media.js'

const DAY_MS = 24 * 60 * 60_000

type Deps = {
  jobs: Pick<JobStore, 'find'>
  media: MediaStore
  files: Pick<Files, 'removeMedia'>
  /** False: media is removed when its transcript is complete. */
  keepMedia: boolean
  /** 0: no maximum age. */
  retentionDays: number
  now: () => number
}

export function createRetention ({ jobs, media, files, keepMedia, retentionDays, now }: Deps) {
  async function removeFiles (removed: readonly Media[]): Promise<void> {
    for (const { file } of removed) await files.removeMedia(file)
  }

  return {
    /**
     * Removes the media of an ended job, unless a retry needs it: a URL can be fetched again, but an upload exists only here.
     */
    async release (jobId: number): Promise<void> {
      const job = jobs.find(jobId)
      const removed = job && media.expire(job.mediaId, keepMedia)
      if (removed) await removeFiles([removed])
    },
    /** Removes media that was not released because of a crash, and media that is too old. Transcripts stay. */
    async sweep (): Promise<void> {
      await removeFiles(media.expireUnused(keepMedia))
      if (retentionDays > 0) await removeFiles(media.expireOlder(now() - retentionDays * DAY_MS))
    }
  }
}
export type Retention = ReturnType<typeof createRetention>
