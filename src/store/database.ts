/** The one SQLite database: opening it, its pragmas, transactions. */
import BetterSqlite3 from 'better-sqlite3'
import { join } from 'node:path'
import { makeDirectory } from '../disk/files.js'
import { fold } from '../domain/search-terms.js'
import { explainDirectory, requireDatabaseOfMedia } from './data-directory.js'
import { migrate } from './migrate.js'

export type Database = BetterSqlite3.Database

/** How long to wait for other processes, and for the disk. */
function applyPatience (db: Database): void {
  db.pragma('busy_timeout = 5000')
  // NORMAL with WAL survives the death of the process; FULL also keeps the last transaction through a power cut.
  db.pragma('synchronous = FULL')
}

/**
 * Opens (and creates, and migrates) the database of a data directory. `:memory:` gives one of its own, for tests. Throws an Error that
 * says what to do when the directory cannot be created or written, or has recordings but no database.
 */
export function openDatabase (dataDir: string): Database {
  try {
    if (dataDir !== ':memory:') {
      makeDirectory(dataDir, 0o700)
      requireDatabaseOfMedia(dataDir)
    }
    return openFile(dataDir === ':memory:' ? ':memory:' : join(dataDir, 'app.db'))
  } catch (error) {
    throw explainDirectory(error, dataDir)
  }
}

/** Opens the database of a data directory for reading. It must exist. */
export function openForReading (dataDir: string): Database {
  const db = new BetterSqlite3(join(dataDir, 'app.db'), { readonly: true })
  db.pragma('busy_timeout = 5000')
  return db
}

function openFile (path: string): Database {
  const db = new BetterSqlite3(path)
  try {
    // Patience first: switching to WAL itself may meet a lock of another process.
    applyPatience(db)
    db.pragma('journal_mode = WAL')
    db.pragma('foreign_keys = ON')
    // Deleted rows and pages are zeroed. erasure.ts does the rest.
    db.pragma('secure_delete = ON')
    // Triggers use it, so every connection that writes must have it.
    db.function('fold', { deterministic: true }, (text) => fold(String(text)))
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

/**
 * For rows that may be lost in a power cut: does not wait for the disk. The log is written in order and synced as a whole, so a power cut
 * takes such rows only together with everything that was committed after them. The death of the process takes nothing.
 */
export const createUnsyncedTransaction = (db: Database): InTransaction => createRelaxed(db, ['synchronous = NORMAL'])

/** The same for data that is written late: gives up at once while another process writes. */
export const createLazyTransaction = (db: Database): InTransaction => createRelaxed(db, ['busy_timeout = 0', 'synchronous = NORMAL'])

function createRelaxed (db: Database, pragmas: readonly string[]): InTransaction {
  const inTransaction = createTransaction(db)
  return (work) => {
    for (const pragma of pragmas) db.pragma(pragma)
    try {
      return inTransaction(work)
    } finally {
      applyPatience(db)
    }
  }
}
