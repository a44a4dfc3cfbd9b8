/** The one SQLite database: opening it, its pragmas, transactions. */
import BetterSqlite3 from 'better-sqlite3'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { migrate } from './migrate.js'

export type Database = BetterSqlite3.Database

/** Opens (and creates, and migrates) the database of a data directory. `:memory:` gives one of its own, for tests. */
export function openDatabase (dataDir: string): Database {
  if (dataDir !== ':memory:') mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const db = new BetterSqlite3(dataDir === ':memory:' ? ':memory:' : join(dataDir, 'app.db'))
  try {
    // busy_timeout first: switching to WAL itself may meet a lock of another process.
    db.pragma('busy_timeout = 5000')
    db.pragma('journal_mode = WAL')
    db.pragma('foreign_keys = ON')
    // NORMAL with WAL survives the death of the process; FULL also keeps the last transaction through a power cut.
    db.pragma('synchronous = FULL')
    migrate(db)
  } catch (error) {
    db.close()
    throw error
  }
  return db
}

/** Runs `work` in one write transaction, from the start: a reader that turns writer half-way could meet SQLITE_BUSY. */
export type InTransaction = <T>(work: () => T) => T
export function createTransaction (db: Database): InTransaction {
  return (work) => db.transaction(work).immediate()
}
