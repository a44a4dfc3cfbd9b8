-- Where the media of a job is fetched from; jobs of uploads and local files have no row. Until fetched_at is set the job is
-- in its stage 'fetch', whatever job.stage says: that column names the first stage after it. The row is claimed like a
-- decode: a lease, and a count that fences off a claimant who lost it.
CREATE TABLE source (
  job_id INTEGER PRIMARY KEY REFERENCES job (id) ON DELETE CASCADE,
  -- As given, name and password in it included: never shown, never logged.
  url TEXT NOT NULL,
  shown_url TEXT NOT NULL,
  -- 1: file_name of the job is the caller's own and stays.
  is_named INTEGER NOT NULL CHECK (is_named IN (0, 1)),
  title TEXT,
  published_at INTEGER,
  -- Says which recording it is, so that it need not be fetched again; NULL when the place it came from does not tell.
  identity TEXT,
  -- Share that has arrived, 0 to 1.
  fetched REAL NOT NULL DEFAULT 0,
  attempt INTEGER NOT NULL DEFAULT 0,
  lease_until INTEGER,
  fetched_at INTEGER
) STRICT;
CREATE INDEX source_leased ON source (lease_until) WHERE lease_until IS NOT NULL;
CREATE INDEX source_by_identity ON source (identity) WHERE identity IS NOT NULL;

-- 'expected': the row waits for what is being fetched. 'removed': the file is gone, jobs still name the row.
ALTER TABLE media ADD COLUMN state TEXT NOT NULL DEFAULT 'stored' CHECK (state IN ('expected', 'stored', 'removed'));
CREATE INDEX media_stored ON media (created_at) WHERE state = 'stored';
CREATE INDEX media_by_digest ON media (owner_id, sha256) WHERE state = 'stored';
