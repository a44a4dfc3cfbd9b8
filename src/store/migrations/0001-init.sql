CREATE TABLE owner (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  -- Number of the last turn this owner got: the one served longest ago is next (fair scheduling).
  last_turn INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE api_key (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id INTEGER NOT NULL REFERENCES owner (id),
  name TEXT NOT NULL,
  plan TEXT NOT NULL CHECK (plan IN ('free', 'build', 'scale', 'pro', 'agency', 'enterprise')),
  hash BLOB NOT NULL UNIQUE,
  last_four TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER
) STRICT;

CREATE TABLE media (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id INTEGER NOT NULL REFERENCES owner (id),
  -- File name under media/: chosen by us, never by a user.
  file TEXT NOT NULL UNIQUE,
  size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE job (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id INTEGER NOT NULL REFERENCES owner (id),
  status TEXT NOT NULL CHECK (status IN ('queued', 'processing', 'completed', 'failed')),
  stage TEXT NOT NULL CHECK (stage IN ('decode', 'language', 'transcribe', 'complete')),
  media_id INTEGER NOT NULL REFERENCES media (id),
  file_name TEXT NOT NULL,
  options TEXT NOT NULL,
  language TEXT,
  duration_ms INTEGER,
  done_ms INTEGER NOT NULL DEFAULT 0,
  failure_code TEXT,
  retry_count INTEGER NOT NULL DEFAULT 0,
  -- The decode step is claimed like a window: a lease, and a count that fences off a claimant who lost it.
  decode_attempt INTEGER NOT NULL DEFAULT 0,
  decode_lease_until INTEGER,
  last_turn INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  completed_at INTEGER
) STRICT;
-- Partial: an appliance keeps every job it ever did, and has few in progress. SQLite uses such an index only for queries
-- that repeat its condition.
CREATE INDEX job_active ON job (id) WHERE status IN ('queued', 'processing');
CREATE INDEX job_processing ON job (owner_id, last_turn) WHERE status = 'processing';
CREATE INDEX job_by_owner ON job (owner_id, id);

CREATE TABLE job_stage (
  job_id INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  stage TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  PRIMARY KEY (job_id, stage)
) STRICT, WITHOUT ROWID;

-- The queue: a row is a piece of work of one pool thread. purpose 'language' samples the language of a job that did
-- not name it; purpose 'speech' is transcribed, and its segments are stored when it is done.
CREATE TABLE window (
  job_id INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  purpose TEXT NOT NULL CHECK (purpose IN ('language', 'speech')),
  idx INTEGER NOT NULL,
  start_sample INTEGER NOT NULL,
  end_sample INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'running', 'done')),
  attempt INTEGER NOT NULL DEFAULT 0,
  errors INTEGER NOT NULL DEFAULT 0,
  lease_until INTEGER,
  -- purpose 'language': the posteriors.
  result TEXT,
  PRIMARY KEY (job_id, purpose, idx)
) STRICT, WITHOUT ROWID;
CREATE INDEX window_open ON window (job_id, purpose, status, idx) WHERE status <> 'done';

CREATE TABLE segment (
  job_id INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  window_idx INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  start_ms INTEGER NOT NULL,
  end_ms INTEGER NOT NULL,
  text TEXT NOT NULL,
  -- [[text, start_ms, end_ms, probability], …]
  words TEXT NOT NULL,
  PRIMARY KEY (job_id, window_idx, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE upload (
  id TEXT PRIMARY KEY,
  owner_id INTEGER NOT NULL REFERENCES owner (id),
  file_name TEXT NOT NULL,
  file_type TEXT,
  size_bytes INTEGER NOT NULL,
  part_size_bytes INTEGER NOT NULL,
  sha256 TEXT,
  options TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  job_id INTEGER REFERENCES job (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX upload_by_expiry ON upload (expires_at);

CREATE TABLE upload_part (
  upload_id TEXT NOT NULL REFERENCES upload (id) ON DELETE CASCADE,
  part_number INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (upload_id, part_number)
) STRICT, WITHOUT ROWID;
