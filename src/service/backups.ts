/** Backing up a data directory, and restoring it. */
import { backUpToFile, isArchiveName, restoreFile } from '../store/backup-archives.js'
import { backUp, restore } from '../store/backups.js'
import type { BackupSummary } from '../store/backups.js'
import type { Database } from '../store/database.js'

/** `isFile`: true for the path of an existing file. */
type Deps = { openDatabase: (dataDir: string) => Database, isFile: (path: string) => boolean, dataDir: string, now: () => number }
export type { BackupSummary }

export function createBackups ({ openDatabase, isFile, dataDir, now }: Deps) {
  return {
    /** Writes the backup to a file, or brings the one in a directory up to date. Throws an Error that says what to do. */
    async make (path: string): Promise<BackupSummary> {
      if (!isArchiveName(path) && isFile(path)) throw new Error(`${path} is a file; call it .tar, .tar.gz or .tar.zst, or name a directory`)
      const db = openDatabase(dataDir)
      try {
        if (isArchiveName(path)) return await backUpToFile(db, { dataDir, file: path, nowMs: now() })
        return await backUp(db, { dataDir, directory: path, nowMs: now() })
      } finally {
        db.close()
      }
    },
    /** Restores a backup into the data directory, which must be empty. Throws an Error that says what to do. */
    restore: async (path: string): Promise<BackupSummary> =>
      isFile(path) ? await restoreFile({ file: path, dataDir }) : await restore({ directory: path, dataDir })
  }
}
export type Backups = ReturnType<typeof createBackups>
