/** Backing up a data directory, and restoring it. */
import { backUp, restore } from '../store/backups.js'
import type { BackupSummary } from '../store/backups.js'
import type { Database } from '../store/database.js'

type Deps = { openDatabase: (dataDir: string) => Database, dataDir: string, now: () => number }
export type { BackupSummary }

export function createBackups ({ openDatabase, dataDir, now }: Deps) {
  return {
    /** Brings the backup in `directory` up to date. Throws an Error that says what to do. */
    async make (directory: string): Promise<BackupSummary> {
      const db = openDatabase(dataDir)
      try {
        return await backUp(db, { dataDir, directory, nowMs: now() })
      } finally {
        db.close()
      }
    },
    /** Restores a backup into the data directory, which must be empty. Throws an Error that says what to do. */
    restore: async (directory: string): Promise<BackupSummary> => await restore({ directory, dataDir })
  }
}
export type Backups = ReturnType<typeof createBackups>
