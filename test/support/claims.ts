/** Counts how often the windows of an appliance are begun, from outside: by a trigger in its database, which survives any kill. */
import { join } from 'node:path'
import Database from 'better-sqlite3'

export type StoredSegment = { window_idx: number, idx: number, start_ms: number, end_ms: number, text: string, words: string }

/** `repeated`: begun again after some earlier beginning, of all windows together. */
export type Claims = { begun: number, repeated: number }

export function withDatabase<T> (dataDir: string, use: (db: Database.Database) => T): T {
  const db = new Database(join(dataDir, 'app.db'), { timeout: 10_000 })
  try {
    return use(db)
  } finally {
    db.close()
  }
}

/**
 * Starts counting. The `attempt` column alone is not enough: a recording that is decoded again gets new windows. Call it after the
 * appliance has started once, so that the database exists.
 */
export function watchClaims (dataDir: string): void {
  withDatabase(dataDir, (db) => db.exec(`
    CREATE TABLE claim_seen (job_id INTEGER, purpose TEXT, start_sample INTEGER) STRICT;
    CREATE TRIGGER claim_seen AFTER UPDATE OF attempt ON work WHEN NEW.attempt > OLD.attempt AND NEW.kind IN ('language', 'transcribe')
    BEGIN
      INSERT INTO claim_seen
      SELECT w.job_id, w.purpose, w.start_sample
      FROM window w
      WHERE w.job_id = NEW.job_id AND w.purpose = iif(NEW.kind = 'language', 'language', 'speech') AND w.idx = NEW.idx;
    END;
  `))
}

export function countClaims (dataDir: string): Claims {
  return withDatabase(dataDir, (db) => db.prepare<[], Claims>(`
    SELECT count(*) AS begun, count(*) - (SELECT count(*) FROM (SELECT DISTINCT * FROM claim_seen)) AS repeated FROM claim_seen
  `).get()) ?? { begun: 0, repeated: 0 }
}

/** Everything a transcript is made of: text, times and probabilities. */
export function readSegments (dataDir: string, jobId = 1): StoredSegment[] {
  return withDatabase(dataDir, (db) => db.prepare<[number], StoredSegment>(`
    SELECT window_idx, idx, start_ms, end_ms, text, words
    FROM segment
    WHERE job_id = ?
    ORDER BY window_idx, idx
  `).all(jobId))
}

/** The stage of job `j`, as the program derives it. */
export const STAGE = `CASE j.status WHEN 'completed' THEN 'complete' ELSE (
  SELECT kind FROM work WHERE job_id = j.id AND run IS NOT NULL
  ORDER BY instr('fetch decode language transcribe speakers complete', kind) LIMIT 1
) END`

export type Progress = { stage: string, status: string, running: number, done: number, jobs: number }

/** How far job `jobId` is. */
export function readProgress (dataDir: string, jobId = 1): Progress | undefined {
  return withDatabase(dataDir, (db) => db.prepare<[number], Progress>(`
    SELECT ${STAGE} AS stage, j.status, (SELECT count(*) FROM job) AS jobs,
      (SELECT count(*) FROM work w WHERE w.job_id = j.id AND w.kind IN ('language', 'transcribe') AND w.state = 'running') AS running,
      (SELECT count(*) FROM window w WHERE w.job_id = j.id AND w.word_count IS NOT NULL) AS done
    FROM job j
    WHERE j.id = ?
  `).get(jobId))
}
