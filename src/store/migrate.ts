/** Schema changes: numbered SQL files, each applied once, in order, in its own transaction. */
import { readFileSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Database } from './database.js'

const MIGRATIONS_DIR = fileURLToPath(new URL('./migrations/', import.meta.url))

const listSteps = (directory: string): string[] => readdirSync(directory).filter((name) => /^\d{4}-.*\.sql$/.test(name)).sort()

/** The schema version of databases of this program: the number of its migrations. */
export const schemaVersion = (): number => listSteps(MIGRATIONS_DIR).length

/** Brings the schema up to date. Throws when the database was written by a newer version. */
export function migrate (db: Database, directory: string = MIGRATIONS_DIR): void {
  const files = listSteps(directory)
  const version = (): number => Number(db.pragma('user_version', { simple: true }))
  if (version() > files.length) {
    throw new Error(
      'This data directory was written by a newer version of Stenobox. Start that version, or restore a backup made with this one.'
    )
  }
  for (const [index, file] of files.entries()) {
    // The version is read again inside the transaction: two processes may start at once.
    db.transaction(() => {
      if (version() !== index) return
      db.exec(readFileSync(directory + '/' + file, 'utf8'))
      db.pragma(`user_version = ${index + 1}`)
    }).immediate()
  }
}
