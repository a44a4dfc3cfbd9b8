/** Makes a library as large as that of years, straight in the database. */
import { createTransaction, openDatabase } from '../../../dist/store/database.js'

/** Adds `count` transcribed recordings like the job `id`, named "Recording 1.wav" and so on. The first is the newest. */
export function addRecordings (dataDir: string, id: number, count: number): void {
  const db = openDatabase(dataDir)
  const copy = db.prepare(`
    INSERT INTO job (owner_id, status, media_id, file_name, name_key, options, heard_language, duration_ms, done_ms,
      created_at, updated_at, completed_at)
    SELECT owner_id, status, media_id, :name, lower(:name), options, heard_language, duration_ms, done_ms,
      created_at, updated_at, completed_at
    FROM job WHERE id = :id`)
  createTransaction(db)(() => {
    for (let number = count; number > 0; number--) copy.run({ id, name: `Recording ${number}.wav` })
  })
  db.close()
}
