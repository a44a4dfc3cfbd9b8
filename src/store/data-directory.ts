/** The data directory as a person sees it: its faults as sentences that say what to do. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode, isNoRoom } from '../domain/errors.js'

/** An error of the data directory as a sentence that says what to do; other errors unchanged. */
export function explainDirectory (error: unknown, dataDir: string): unknown {
  const code = errorCode(error) ?? ''
  const fail = (sentence: string): Error => new Error(`${sentence} (${code})`, { cause: error })
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT')) {
    return fail(`a database in ${dataDir} is damaged; put back app.db from a backup, or choose another directory with STENOBOX_DATA_DIR`)
  }
  if (isNoRoom(error)) return fail(`the disk of the data directory ${dataDir} is full; free some space and try again`)
  if (!/^(E[A-Z]+|SQLITE_(CANTOPEN|READONLY|PERM|IOERR)\w*)$/.test(code)) return error
  const advice = 'choose another directory with STENOBOX_DATA_DIR, or make this one writable'
  return fail(`the data directory ${dataDir} cannot be created or written; ${advice}`)
}

/** Names in a directory; none when it does not exist. */
function namesIn (directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return []
    throw error
  }
}

/**
 * Refuses a data directory that has recordings and no database: an empty database would know none of them. Throws an Error that says what
 * to do. Call it before the database is opened, because opening creates app.db and drops a write-ahead log that belongs to a missing one.
 */
export function requireDatabaseOfMedia (dataDir: string): void {
  const bytes = statSync(join(dataDir, 'app.db'), { throwIfNoEntry: false })?.size
  if (bytes !== undefined && bytes > 0) return
  const { length } = namesIn(join(dataDir, 'media'))
  if (length === 0) return
  const state = bytes === undefined ? 'is missing' : 'is empty'
  throw new Error(`the database ${join(dataDir, 'app.db')} ${state}, but ${join(dataDir, 'media')} has ${length} files; ` +
    'put back app.db from a backup, or move the folder media elsewhere to begin with an empty library')
}
