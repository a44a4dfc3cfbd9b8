/** Downloads that are running, and the share of the disk that each owner has for them. */
import { AppError, JobFailure } from '../domain/errors.js'
import type { Submit } from './submit.js'

type Download = { ownerId: number, arrivedBytes: number, restBytes: number }

export function createRunningDownloads ({ submit }: { submit: Pick<Submit, 'requireDownloadRoom'> }) {
  const running = new Set<Download>()

  return {
    /** Runs `work` as a download of an owner. */
    async run<R> (ownerId: number, work: (requireRoom: RequireRoom) => Promise<R>): Promise<R> {
      const download: Download = { ownerId, arrivedBytes: 0, restBytes: 0 }
      running.add(download)
      try {
        return await work(async (restBytes, arrivedBytes) => {
          Object.assign(download, { restBytes, arrivedBytes })
          const sum = { arrivedBytes: 0, restBytes: 0, othersRestBytes: 0 }
          for (const one of running) {
            if (one.ownerId === ownerId) {
              sum.arrivedBytes += one.arrivedBytes
              sum.restBytes += one.restBytes
            } else sum.othersRestBytes += one.restBytes
          }
          try {
            await submit.requireDownloadRoom(ownerId, sum)
          } catch (error) {
            throw error instanceof AppError ? new JobFailure('insufficient_storage', error.message, { cause: error }) : error
          }
        })
      } finally {
        running.delete(download)
      }
    }
  }
}

/** Throws `JobFailure` insufficient_storage when the disk, or the owner's share, has no room for `restBytes` beside what has arrived. */
export type RequireRoom = (restBytes: number, arrivedBytes: number) => Promise<void>
