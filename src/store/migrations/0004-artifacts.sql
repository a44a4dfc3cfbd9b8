-- Summaries, chapters and quotes, stored at the first call or prepared in the background.
CREATE TABLE artifact (
  job_id INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  mode TEXT NOT NULL CHECK (mode IN ('summary', 'chapters', 'quotes')),
  -- Identifies the attempt that makes it. Only the latest attempt can store its result.
  attempt TEXT NOT NULL,
  -- These three are NULL until it is made. body: JSON with content, chapters and quotes.
  engine TEXT CHECK (engine IN ('extractive', 'llm')),
  body TEXT CHECK (body IS NULL OR json_valid(body)),
  generated_at INTEGER,
  PRIMARY KEY (job_id, mode)
) STRICT, WITHOUT ROWID;

-- Whatever changes the transcript drops what was made from it, and attempts under way find no row in which to store an outdated result.
CREATE TRIGGER artifact_dropped_by_insert AFTER INSERT ON segment
BEGIN
  DELETE FROM artifact WHERE job_id = new.job_id;
END;
CREATE TRIGGER artifact_dropped_by_update AFTER UPDATE ON segment
BEGIN
  DELETE FROM artifact WHERE job_id = new.job_id;
END;
CREATE TRIGGER artifact_dropped_by_delete AFTER DELETE ON segment
BEGIN
  DELETE FROM artifact WHERE job_id = old.job_id;
END;
