/** Deletes transcriptions. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isNoRoom } from '../domain/errors.js'
import type { InTransaction } from '../store/database.js'
import type { EditStore } from '../store/edits.js'
import type { Files } from '../store/files.js'
import type { JobStore } from '../store/jobs.js'
import type { MediaStore } from '../store/media.js'
import type { PassageStore } from '../store/passages.js'
import type { UploadStore } from '../store/uploads.js'
import type { WorkStore } from '../store/work.js'
import { workFor } from './slices.js'
import { findOwnedJob } from './transcripts.js'

type Deps = {
  jobs: Pick<JobStore, 'findOwned' | 'remove'>
  edits: Pick<EditStore, 'closeHistory' | 'removeHistory'>
  passages: Pick<PassageStore, 'hide' | 'removeHidden'>
  work: Pick<WorkStore, 'remove'>
  media: Pick<MediaStore, 'findSole' | 'markRemoved' | 'removeUnused'>
  uploads: Pick<UploadStore, 'removeOfJob'>
  files: Pick<Files, 'removeMedia' | 'removeUpload' | 'removeWork'>
  inTransaction: InTransaction
  inUnsyncedTransaction: InTransaction
}

/** Other requests get a turn after so many ms. */
const SLICE_MS = 15
/** Segments whose history is removed at once. */
const AT_ONCE = 500

export function createRemoval (deps: Deps) {
  const { jobs, edits, passages, work, media, uploads, files, inTransaction, inUnsyncedTransaction } = deps
  const removedListeners: Array<(jobId: number) => void> = []

  /** Not synced: a power cut only brings some of it back. */
  async function inSlices (removeSome: () => boolean): Promise<void> {
    while (inUnsyncedTransaction(() => workFor(SLICE_MS, removeSome))) await nextTurn()
  }

  /**
   * Removes what segments were before they were edited: of ten hours with many edits, that is most of the rows. After a crash the
   * transcription is still there and whole, but none of its edits can be undone.
   */
  async function removeHistory (id: number): Promise<void> {
    inUnsyncedTransaction(() => { edits.closeHistory(id) })
    await inSlices(() => edits.removeHistory(id, AT_ONCE))
  }

  /** Removes what search finds of a completed transcription. After a crash it is indexed again. */
  async function removeIndex (id: number, ownerId: number): Promise<void> {
    const isHidden = inUnsyncedTransaction(() => {
      if (jobs.findOwned(id, ownerId)?.status !== 'completed') return false
      work.remove({ jobId: id, kind: 'index' })
      passages.hide(id)
      return true
    })
    if (isHidden) await inSlices(() => passages.removeHidden(id))
  }

  /** Returns what is left of the job on the disk. */
  async function removeRows (id: number, ownerId: number): Promise<{ uploadIds: string[], mediaFile: string | undefined }> {
    findOwnedJob(jobs, id, ownerId)
    await removeHistory(id)
    await removeIndex(id, ownerId)
    return inTransaction(() => {
      const { mediaId } = findOwnedJob(jobs, id, ownerId)
      const uploadIds = uploads.removeOfJob(id)
      jobs.remove(id)
      return { uploadIds, mediaFile: media.removeUnused(mediaId) }
    })
  }

  /** Removes the recording of a completed transcription before its rows. False when there is none, or another one needs it. */
  async function makeRoom (id: number, ownerId: number): Promise<boolean> {
    const { mediaId, status } = findOwnedJob(jobs, id, ownerId)
    const file = status === 'completed' ? media.findSole(mediaId, id) : undefined
    if (file === undefined) return false
    await files.removeMedia(file)
    inUnsyncedTransaction(() => { media.markRemoved(mediaId) })
    return true
  }

  return {
    /**
     * Removes a transcription in any state: the history of its edits and its index in slices, all other rows in one transaction, then its
     * files. On a full disk, which has no room to note a deletion, the recording goes first. Work on it stops by itself, because its claims
     * are gone. Files that a crash leaves behind have no row, and the sweeps remove them. Throws `not_found`.
     */
    async remove (id: number, ownerId: number): Promise<void> {
      const { uploadIds, mediaFile } = await removeRows(id, ownerId).catch(async (error: unknown) => {
        if (!isNoRoom(error) || !await makeRoom(id, ownerId)) throw error
        return await removeRows(id, ownerId)
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
