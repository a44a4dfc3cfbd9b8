/** Which process works on a directory. */
import BetterSqlite3 from 'better-sqlite3'
import { join } from 'node:path'

export type WorkLock = { release (): void }

/**
 * Takes a lock, or returns undefined while another process has it. It is an exclusive SQLite transaction on a file of
 * its own: the system frees it when the process dies in any way.
 */
export function tryLock (path: string): WorkLock | undefined {
  const db = new BetterSqlite3(path, { timeout: 0 })
  try {
    db.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if (error instanceof BetterSqlite3.SqliteError && error.code === 'SQLITE_BUSY') return undefined
    throw error
  }
  return { release: () => { db.close() } }
}

/**
 * Takes the right to work on the jobs of a data directory. The process that has it knows that every lease in the database belongs to a dead
 * process and may be taken back at once.
 */
export const tryWorkLock = (dataDir: string): WorkLock | undefined => tryLock(join(dataDir, 'work.lock'))

/** Takes the right to be the server of a data directory. Other commands share the directory with it; another server does not. */
export const tryServerLock = (dataDir: string): WorkLock | undefined => tryLock(join(dataDir, 'server.lock'))
