/** How loud recordings are. */
import type { Peaks } from '../domain/peaks.js'
import type { Database } from './database.js'

export function createPeakStore (db: Database) {
  const set = db.prepare<{ jobId: number, perSecond: number, amplitudes: Buffer }>(`
    INSERT INTO peaks (job_id, per_second, amplitudes)
    VALUES (:jobId, :perSecond, :amplitudes)
    ON CONFLICT (job_id) DO UPDATE SET per_second = excluded.per_second, amplitudes = excluded.amplitudes
  `)
  const find = db.prepare<{ jobId: number }, Peaks>(`
    SELECT per_second AS perSecond, amplitudes FROM peaks WHERE job_id = :jobId
  `)
  return {
    /** Replaces the peaks of a job. */
    set: (jobId: number, { perSecond, amplitudes }: Peaks): void => { set.run({ jobId, perSecond, amplitudes: Buffer.from(amplitudes) }) },
    find: (jobId: number): Peaks | undefined => find.get({ jobId })
  }
}
export type PeakStore = ReturnType<typeof createPeakStore>
