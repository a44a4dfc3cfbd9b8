/** Which process works on a data directory. */
import BetterSqlite3 from 'better-sqlite3'
import { join } from 'node:path'

export type WorkLock = { release (): void }

/**
 * Takes the right to work on the jobs of a data directory, or returns undefined while another process has it. The
 * lock is an exclusive SQLite transaction on a file of its own: the system frees it when the process dies in any way,
 * so whoever gets it knows that every lease in the database belongs to the dead and may be taken back at once.
 */
export function tryWorkLock (dataDir: string): WorkLock | undefined {
  const db = new BetterSqlite3(join(dataDir, 'work.lock'), { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (error instanceof BetterSqlite3.SqliteError && error.code === 'SQLITE_BUSY') return undefined
    throw error
  }
  return { release: () => { db.close() } }
}
