/** Counts of rows, for monitoring. Reads only unfinished work, so the cost does not grow with the library. */
import { statSync } from 'node:fs'
import type { Database } from './database.js'

export type WorkCount = { kind: string, state: string, pieces: number }
export type Backlog = { pieces: number, oldestDueAt: number | undefined }

export function createMetricsStore (db: Database) {
  const jobs = db.prepare<[], { status: string, jobs: number }>(`
    SELECT status, count(*) AS jobs FROM job WHERE status IN ('queued', 'processing') GROUP BY status
  `)
  const oldest = db.prepare<[], { at: number | null }>(`
    SELECT min(created_at) AS at FROM job WHERE status IN ('queued', 'processing')
  `)
  // All rows: finished work has none.
  const work = db.prepare<[], WorkCount>('SELECT kind, state, count(*) AS pieces FROM work GROUP BY kind, state')
  const backlog = db.prepare<{ kind: string }, { pieces: number, due_at: number | null }>(`
    SELECT count(*) AS pieces, min(due_at) AS due_at FROM work WHERE kind = :kind AND state = 'ready'
  `)
  const erasure = db.prepare<[], { pending: number }>('SELECT requested > cleared AS pending FROM erasure')
  const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

  return {
    /** Jobs in progress by status. */
    countJobs: (): Record<string, number> => Object.fromEntries(jobs.all().map(({ status, jobs }) => [status, jobs])),
    /** When the oldest job in progress was created, in ms since 1970. */
    findOldestJob: (): number | undefined => oldest.get()?.at ?? undefined,
    countWork: (): WorkCount[] => work.all(),
    /** Pieces of a kind that nobody works on yet, and the earliest time at which one of them is due. */
    findBacklog (kind: string): Backlog {
      const { pieces = 0, due_at: dueAt = null } = backlog.get({ kind }) ?? {}
      return { pieces, oldestDueAt: dueAt ?? undefined }
    },
    /** True while deleted text has not been cleared from the file. */
    isErasurePending: (): boolean => erasure.get()?.pending === 1,
    /** Sizes of the database and its write-ahead log. */
    measureFiles: (): { databaseBytes: number, logBytes: number } =>
      ({ databaseBytes: sizeOf(db.name), logBytes: sizeOf(`${db.name}-wal`) })
  }
}
export type MetricsStore = ReturnType<typeof createMetricsStore>
