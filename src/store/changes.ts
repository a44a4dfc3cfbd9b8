/**
 * Tells which transcriptions change, whatever code changes them: triggers of this connection call back. They are temporary: the file does
 * not contain them, and changes by other processes are not seen.
 */
import type { Change } from '../domain/event.js'
import type { Database } from './database.js'

type Watched = { on: string, kind: Change['kind'], job: string }

/** Every change of a job sets its time. A source counts what has been fetched. */
const WATCHED: readonly Watched[] = [
  { on: 'INSERT ON main.job', kind: 'list', job: 'new.id' },
  { on: 'DELETE ON main.job', kind: 'list', job: 'old.id' },
  { on: 'UPDATE OF updated_at ON main.job', kind: 'job', job: 'new.id' },
  { on: 'UPDATE OF fetched, title ON main.source', kind: 'job', job: 'new.job_id' },
  { on: 'UPDATE ON main.segment', kind: 'transcript', job: 'new.job_id' },
  { on: 'INSERT ON main.diarization', kind: 'transcript', job: 'new.job_id' },
  { on: 'UPDATE OF state ON main.diarization', kind: 'transcript', job: 'new.job_id' },
  { on: 'INSERT ON main.speaker', kind: 'transcript', job: 'new.job_id' },
  { on: 'DELETE ON main.speaker', kind: 'transcript', job: 'old.job_id' },
  { on: 'UPDATE OF body ON main.artifact', kind: 'transcript', job: 'new.job_id' },
  { on: 'DELETE ON main.artifact', kind: 'transcript', job: 'old.job_id' }
]

/** The owner of the row. Rows that are deleted together with their job have none any more. */
const ownerOf = ({ on, job }: Watched): string =>
  on.endsWith('main.job') ? job.replace('.id', '.owner_id') : `(SELECT owner_id FROM main.job WHERE id = ${job})`

/**
 * Calls `listener` for each changed row, inside the transaction that changes it: it may still be rolled back, and the listener must neither
 * throw nor use the database.
 */
export function watchChanges (db: Database, listener: (change: Change) => void): void {
  db.function('tell_change', (kind: Change['kind'], jobId: number, ownerId: number | null) => {
    if (ownerId !== null) listener({ kind, jobId, ownerId })
    return null
  })
  for (const [index, watched] of WATCHED.entries()) {
    db.exec(`
      CREATE TEMP TRIGGER tell_${index} AFTER ${watched.on}
      BEGIN
        SELECT tell_change('${watched.kind}', ${watched.job}, ${ownerOf(watched)});
      END
    `)
  }
}
