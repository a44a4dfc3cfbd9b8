/** What a backup contains. */
import Type from 'typebox'
import type { Static } from 'typebox'
import { Value } from 'typebox/value'

const PATH = '^(media|uploads|database)/[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)?$'

/** A file of a backup. `path`: below the directory of the backup, with `/`. */
export const BackupFile = Type.Object({
  path: Type.String({ pattern: PATH }),
  sizeBytes: Type.Integer({ minimum: 0 }),
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' })
})
export type BackupFile = Static<typeof BackupFile>

/** The list of a backup. Files that it does not name do not belong to the backup. */
export const BackupList = Type.Object({
  format: Type.Literal(1),
  createdAt: Type.String(),
  /** Number of migrations of the database. */
  schemaVersion: Type.Integer({ minimum: 1 }),
  database: BackupFile,
  files: Type.Array(BackupFile)
})
export type BackupList = Static<typeof BackupList>

/** True for the path of a file below the directory of a backup. */
export const isBackupPath = (path: string): boolean => new RegExp(PATH).test(path) && !path.split('/').includes('..')

/** Undefined when the text is not the list of a backup, or leads out of its directory. */
export function parseBackupList (text: string): BackupList | undefined {
  try {
    const list: unknown = JSON.parse(text)
    if (!Value.Check(BackupList, list)) return undefined
    return [list.database, ...list.files].every(({ path }) => isBackupPath(path)) ? list : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
