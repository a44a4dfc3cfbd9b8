/** Deletes transcriptions. */
import type { InTransaction } from '../store/database.js'
import type { Files } from '../store/files.js'
import type { JobStore } from '../store/jobs.js'
import type { MediaStore } from '../store/media.js'
import type { UploadStore } from '../store/uploads.js'
import { findOwnedJob } from './transcripts.js'

type Deps = {
  jobs: Pick<JobStore, 'findOwned' | 'remove'>
  media: Pick<MediaStore, 'removeUnused'>
  uploads: Pick<UploadStore, 'removeOfJob'>
  files: Pick<Files, 'removeMedia' | 'removeUpload' | 'removeWork'>
  inTransaction: InTransaction
}

export function createRemoval ({ jobs, media, uploads, files, inTransaction }: Deps) {
  const removedListeners: Array<(jobId: number) => void> = []

  return {
    /**
     * Removes a transcription in any state: its rows in one transaction, then its files. Work on it stops by itself, because its claims are
     * gone. Files that a crash leaves behind have no row, and the sweeps remove them. Throws `not_found`.
     */
    async remove (id: number, ownerId: number): Promise<void> {
      const { uploadIds, mediaFile } = inTransaction(() => {
        const { mediaId } = findOwnedJob(jobs, id, ownerId)
        const uploadIds = uploads.removeOfJob(id)
        jobs.remove(id)
        return { uploadIds, mediaFile: media.removeUnused(mediaId) }
      })
      for (const listener of removedListeners) listener(id)
      await files.removeWork(id)
      if (mediaFile !== undefined) await files.removeMedia(mediaFile)
      for (const uploadId of uploadIds) await files.removeUpload(uploadId)
    },
    /** Calls `listener` with the id of each job that has been removed. */
    onRemoved (listener: (jobId: number) => void): void {
      removedListeners.push(listener)
    }
  }
}
export type Removal = ReturnType<typeof createRemoval>
