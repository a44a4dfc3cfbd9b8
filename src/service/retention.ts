/** How long media is kept: until its job ends, until it is old enough, or for good. */
import type { Files } from '../store/files.js'
import type { JobStore } from '../store/jobs.js'
import type { Media, MediaStore } from '../store/media.js'

const DAY_MS = 24 * 60 * 60_000

type Deps = {
  jobs: Pick<JobStore, 'find'>
  media: MediaStore
  files: Pick<Files, 'removeMedia'>
  /** False: media goes when its transcript is complete. */
  keepMedia: boolean
  /** 0: however old. */
  retentionDays: number
  now: () => number
}

export function createRetention ({ jobs, media, files, keepMedia, retentionDays, now }: Deps) {
  async function removeFiles (removed: readonly Media[]): Promise<void> {
    for (const { file } of removed) await files.removeMedia(file)
  }

  return {
    /** Removes the media of a job that has ended, when nothing will ask for it: an address is fetched again, an upload that failed is not. */
    async release (jobId: number): Promise<void> {
      const job = jobs.find(jobId)
      const removed = job && media.expire(job.mediaId, keepMedia)
      if (removed) await removeFiles([removed])
    },
    /** Removes what a process that died did not come to release, and what has become too old; transcripts stay. */
    async sweep (): Promise<void> {
      await removeFiles(media.expireUnused(keepMedia))
      if (retentionDays > 0) await removeFiles(media.expireOlder(now() - retentionDays * DAY_MS))
    }
  }
}
export type Retention = ReturnType<typeof createRetention>
