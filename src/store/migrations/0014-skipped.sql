-- What of a recording was not transcribed, so that people can see it and listen to it.
CREATE TABLE skipped (
  job_id INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  start_ms INTEGER NOT NULL,
  end_ms INTEGER NOT NULL,
  reason TEXT NOT NULL CHECK (reason IN ('silence', 'noise')),
  -- Of its frame that is likeliest to be speech, and of its loudest.
  probability REAL NOT NULL,
  level_db REAL NOT NULL,
  PRIMARY KEY (job_id, start_ms)
) STRICT, WITHOUT ROWID;

-- What warnings are derived from. NULL: not known, of windows that are older.
ALTER TABLE window ADD COLUMN speech_ms INTEGER;
-- Set when a window is transcribed.
ALTER TABLE window ADD COLUMN word_count INTEGER;
ALTER TABLE window ADD COLUMN by_starter INTEGER NOT NULL DEFAULT 0 CHECK (by_starter IN (0, 1));
