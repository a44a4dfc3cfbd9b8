/** Stored source files. */
import type { Database } from './database.js'

export type Media = { id: number, ownerId: number, file: string, sizeBytes: number, sha256: string }
type MediaRow = { id: number, owner_id: number, file: string, size_bytes: number, sha256: string }

export function createMediaStore (db: Database) {
  const insert = db.prepare<Omit<Media, 'id'> & { now: number }>(`
    INSERT INTO media (owner_id, file, size_bytes, sha256, created_at)
    VALUES (:ownerId, :file, :sizeBytes, :sha256, :now)
  `)
  const find = db.prepare<{ id: number }, MediaRow>('SELECT id, owner_id, file, size_bytes, sha256 FROM media WHERE id = :id')
  // uses job_by_media
  const removeUnused = db.prepare<{ id: number }, { file: string }>(`
    DELETE FROM media
    WHERE id = :id AND NOT EXISTS (SELECT 1 FROM job WHERE media_id = :id)
    RETURNING file
  `)
  const known = db.prepare<{ file: string }, { id: number }>('SELECT id FROM media WHERE file = :file')

  return {
    insert: (media: Omit<Media, 'id'>, now: number): number => Number(insert.run({ ...media, now }).lastInsertRowid),
    find (id: number): Media | undefined {
      const row = find.get({ id })
      return row && { id: row.id, ownerId: row.owner_id, file: row.file, sizeBytes: row.size_bytes, sha256: row.sha256 }
    },
    /** Removes the row that no job refers to any more; the file is then the caller's to remove. Undefined when another job needs it. */
    removeUnused: (id: number): string | undefined => removeUnused.get({ id })?.file,
    isKnown: (file: string): boolean => known.get({ file }) !== undefined
  }
}
export type MediaStore = ReturnType<typeof createMediaStore>
