/** Stored artifacts. Triggers of the table `segment` remove them when the transcript changes. */
import type { Artifact, ArtifactContent, ArtifactEngineName, StoredMode } from '../domain/artifact.js'
import type { Database } from './database.js'

export type ArtifactKey = { jobId: number, mode: StoredMode }
type ArtifactRow = { engine: ArtifactEngineName, body: string, generatedAt: number }

export function createArtifactStore (db: Database) {
  const find = db.prepare<ArtifactKey, ArtifactRow>(`
    SELECT engine, body, generated_at AS generatedAt FROM artifact WHERE job_id = :jobId AND mode = :mode AND body IS NOT NULL
  `)
  const begin = db.prepare<ArtifactKey & { attempt: string }>(`
    INSERT INTO artifact (job_id, mode, attempt)
    VALUES (:jobId, :mode, :attempt)
    ON CONFLICT (job_id, mode) DO UPDATE SET attempt = :attempt
  `)
  const finish = db.prepare<ArtifactKey & ArtifactRow & { attempt: string }>(`
    UPDATE artifact SET engine = :engine, body = :body, generated_at = :generatedAt
    WHERE job_id = :jobId AND mode = :mode AND attempt = :attempt
  `)

  return {
    find ({ jobId, mode }: ArtifactKey): Artifact | undefined {
      const row = find.get({ jobId, mode })
      return row && { mode, ...(JSON.parse(row.body) as ArtifactContent), engine: row.engine, generatedAt: row.generatedAt }
    },
    /**
     * Begins an attempt to make an artifact, before the transcript is read. Earlier attempts can no longer store anything; what they stored
     * stays until this one is done.
     */
    begin: ({ jobId, mode }: ArtifactKey, attempt: string): void => { begin.run({ jobId, mode, attempt }) },
    /** Stores the result of an attempt. False when the transcript has changed since, or another attempt has begun. */
    finish (jobId: number, attempt: string, { mode, engine, generatedAt, ...content }: Artifact & { mode: StoredMode }): boolean {
      return finish.run({ jobId, mode, attempt, engine, body: JSON.stringify(content), generatedAt }).changes === 1
    }
  }
}
export type ArtifactStore = ReturnType<typeof createArtifactStore>
