-- The whole schema of the first release. Once it is released this file does not change: later changes are files of their own
-- (0002-..., 0003-...). Times are milliseconds since 1970 and end in _at or _until; flags are 0 or 1 and begin with is_ or by_.

-- ---- Owners, keys and plans ----

CREATE TABLE owner (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  -- Plan of the owner's OAuth tokens, and of a new key for which none is given.
  plan TEXT NOT NULL DEFAULT 'enterprise' CHECK (plan IN ('free', 'build', 'scale', 'pro', 'agency', 'enterprise')),
  -- For the login page of our own authorization server. NULL: the owner cannot log in.
  password_hash TEXT,
  -- Names and terms to expect in the owner's recordings, a JSON list. Each job gets a copy when it is made.
  terms TEXT NOT NULL DEFAULT '[]' CHECK (json_type(terms) = 'array'),
  -- Number of the owner's last turn. The owner with the lowest number is served next.
  last_turn INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE api_key (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id INTEGER NOT NULL REFERENCES owner (id),
  name TEXT NOT NULL,
  plan TEXT NOT NULL CHECK (plan IN ('free', 'build', 'scale', 'pro', 'agency', 'enterprise')),
  -- SHA-256 of the key. The key itself is not stored.
  hash BLOB NOT NULL UNIQUE,
  last_four TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at INTEGER,
  -- The key is refused from this time on. NULL: it is valid until it is revoked.
  expires_at INTEGER,
  -- The key that rotation made as its successor.
  replaced_by INTEGER REFERENCES api_key (id)
) STRICT;
CREATE INDEX api_key_by_owner ON api_key (owner_id, id);
CREATE INDEX api_key_replaced ON api_key (replaced_by) WHERE replaced_by IS NOT NULL;

-- Plans whose limits the administrator has changed. A row replaces all limits of its plan; NULL means no limit.
CREATE TABLE plan_limits (
  plan TEXT PRIMARY KEY CHECK (plan IN ('free', 'build', 'scale', 'pro', 'agency', 'enterprise')),
  requests_per_day INTEGER CHECK (requests_per_day >= 0),
  speech_minutes_per_month INTEGER CHECK (speech_minutes_per_month >= 0),
  diarization INTEGER NOT NULL CHECK (diarization IN (0, 1))
) STRICT, WITHOUT ROWID;

-- ---- Usage ----

-- Requests of an owner on a day (day_at is the midnight at its start), by key.
CREATE TABLE request_count (
  owner_id INTEGER NOT NULL REFERENCES owner (id) ON DELETE CASCADE,
  day_at INTEGER NOT NULL,
  -- 0: all OAuth tokens of the owner together.
  key_id INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  PRIMARY KEY (owner_id, day_at, key_id)
) STRICT, WITHOUT ROWID;

-- The latest requests of each key.
CREATE TABLE request_log (
  id INTEGER PRIMARY KEY,
  key_id INTEGER NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
  request_id TEXT NOT NULL,
  method TEXT NOT NULL,
  path TEXT NOT NULL,
  status INTEGER NOT NULL,
  duration_ms INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE INDEX request_log_by_key ON request_log (key_id, id);

-- Audio of completed jobs by owner and month (month_at is the midnight at its start). Deleting a transcription does not reduce it.
CREATE TABLE audio_month (
  owner_id INTEGER NOT NULL REFERENCES owner (id) ON DELETE CASCADE,
  month_at INTEGER NOT NULL,
  used_ms INTEGER NOT NULL,
  PRIMARY KEY (owner_id, month_at)
) STRICT, WITHOUT ROWID;

-- Requests that carried an Idempotency-Key, and their answers.
CREATE TABLE idempotent_request (
  -- SHA-256 of caller, operation and Idempotency-Key. The Idempotency-Key itself is not stored.
  id BLOB PRIMARY KEY,
  -- Keyed hash of the request, so that nothing of a body can be guessed from it.
  fingerprint BLOB NOT NULL,
  -- Encrypted with the caller's Idempotency-Key. NULL: the first request is still running.
  answer BLOB,
  -- The request in progress holds a lease. Each takeover raises attempt, so that the earlier holder can store nothing.
  attempt INTEGER NOT NULL DEFAULT 1,
  lease_until INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotent_request_by_age ON idempotent_request (created_at);

-- ---- Media and uploads ----

CREATE TABLE media (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id INTEGER NOT NULL REFERENCES owner (id),
  -- File name under media/. We choose it; it never comes from a user.
  file TEXT NOT NULL UNIQUE,
  size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  -- 'expected': the file is being fetched. 'removed': the file is deleted, but jobs still refer to the row.
  state TEXT NOT NULL DEFAULT 'stored' CHECK (state IN ('expected', 'stored', 'removed')),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX media_stored ON media (created_at) WHERE state = 'stored';
CREATE INDEX media_by_digest ON media (owner_id, sha256) WHERE state = 'stored';

-- ---- Jobs ----

CREATE TABLE job (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id INTEGER NOT NULL REFERENCES owner (id),
  -- The key that made the job. NULL: a token or the command line.
  api_key_id INTEGER REFERENCES api_key (id),
  status TEXT NOT NULL CHECK (status IN ('queued', 'processing', 'completed', 'failed')),
  media_id INTEGER NOT NULL REFERENCES media (id),
  file_name TEXT NOT NULL,
  -- JSON. Holds the language the caller asked for, if any.
  options TEXT NOT NULL,
  -- The language detected in the recording. NULL: not detected yet, or the caller gave one.
  heard_language TEXT,
  duration_ms INTEGER,
  done_ms INTEGER NOT NULL DEFAULT 0,
  failure_code TEXT,
  retry_count INTEGER NOT NULL DEFAULT 0,
  -- Number of the job's last turn among the jobs of its owner.
  last_turn INTEGER NOT NULL DEFAULT 0,
  -- A receiver for this job only, besides the owner's endpoints. NULL: none.
  webhook_url TEXT,
  webhook_secret TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  completed_at INTEGER
) STRICT;
-- Partial indexes: the library keeps every job, and only a few are in progress. SQLite uses a partial index only for queries
-- that repeat its condition.
CREATE INDEX job_active ON job (id) WHERE status IN ('queued', 'processing');
CREATE INDEX job_processing ON job (owner_id, last_turn) WHERE status = 'processing';
CREATE INDEX job_by_owner ON job (owner_id, id);
CREATE INDEX job_by_owner_status ON job (owner_id, status, id);
CREATE INDEX job_by_media ON job (media_id);

-- When each stage of the current run began and ended, for clients.
CREATE TABLE job_stage (
  job_id INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  stage TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  finished_at INTEGER,
  PRIMARY KEY (job_id, stage)
) STRICT, WITHOUT ROWID;

-- Background work that is not finished, one row for each piece; a finished piece has no row. What a piece is about is in the table
-- of its noun: window, source, webhook_delivery, job.
CREATE TABLE work (
  -- Never used again, so that a late claim can never match the row of a later run.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The stages of a job, and 'webhook'. No CHECK: a new kind needs no migration.
  kind TEXT NOT NULL,
  job_id INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  -- Index of the window, id of the delivery; 0 where a job has only one piece of the kind.
  idx INTEGER NOT NULL DEFAULT 0,
  -- retry_count of the job when the piece was made. NULL: the piece outlives the run (webhooks).
  run INTEGER,
  -- 'waiting': something else must be done first. 'failed': the job failed in this stage; a retry deletes the row.
  state TEXT NOT NULL DEFAULT 'ready' CHECK (state IN ('waiting', 'ready', 'running', 'failed')),
  -- Times the piece was begun. A result is accepted only from the latest attempt.
  attempt INTEGER NOT NULL DEFAULT 0,
  -- Attempts that ended in an error.
  errors INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL DEFAULT 0,
  lease_until INTEGER,
  -- What is served in turn: the receiver of a webhook. NULL: the turns of owners and jobs count.
  turn_key TEXT,
  UNIQUE (job_id, kind, idx)
) STRICT;
CREATE INDEX work_ready ON work (kind, job_id, idx) WHERE state = 'ready';
CREATE INDEX work_ready_by_turn ON work (kind, turn_key, due_at) WHERE state = 'ready' AND turn_key IS NOT NULL;
CREATE INDEX work_running ON work (kind, lease_until) WHERE state = 'running';

CREATE TABLE upload (
  id TEXT PRIMARY KEY,
  owner_id INTEGER NOT NULL REFERENCES owner (id),
  api_key_id INTEGER REFERENCES api_key (id),
  file_name TEXT NOT NULL,
  file_type TEXT,
  size_bytes INTEGER NOT NULL,
  part_size_bytes INTEGER NOT NULL,
  sha256 TEXT,
  options TEXT NOT NULL,
  webhook_url TEXT,
  webhook_secret TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  -- The job that the complete upload became.
  job_id INTEGER REFERENCES job (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX upload_by_expiry ON upload (expires_at);
CREATE INDEX upload_by_job ON upload (job_id) WHERE job_id IS NOT NULL;

CREATE TABLE upload_part (
  upload_id TEXT NOT NULL REFERENCES upload (id) ON DELETE CASCADE,
  part_number INTEGER NOT NULL,
  size_bytes INTEGER NOT NULL,
  sha256 TEXT NOT NULL,
  PRIMARY KEY (upload_id, part_number)
) STRICT, WITHOUT ROWID;

-- The address a job's recording is fetched from. Jobs of uploads and local files have no row.
CREATE TABLE source (
  job_id INTEGER PRIMARY KEY REFERENCES job (id) ON DELETE CASCADE,
  -- As given, including any name and password. Never shown, never logged.
  url TEXT NOT NULL,
  shown_url TEXT NOT NULL,
  -- 1: the caller chose file_name of the job, so the title of the recording does not replace it.
  is_named INTEGER NOT NULL CHECK (is_named IN (0, 1)),
  title TEXT,
  published_at INTEGER,
  -- Identifies the recording, so that it is not fetched twice. NULL: the server does not say.
  identity TEXT,
  -- Share that has arrived, 0 to 1.
  fetched REAL NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX source_by_identity ON source (identity) WHERE identity IS NOT NULL;

-- ---- Transcripts ----

-- A stretch of the recording. 'language' windows are samples from which the language is detected; 'speech' windows are transcribed.
CREATE TABLE window (
  job_id INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  purpose TEXT NOT NULL CHECK (purpose IN ('language', 'speech')),
  idx INTEGER NOT NULL,
  start_sample INTEGER NOT NULL,
  end_sample INTEGER NOT NULL,
  -- Parts of the window without speech, which are not decoded: [[start_sample, end_sample], ...]. NULL: none.
  gaps TEXT,
  -- Likely speech in the window. NULL: not known.
  speech_ms INTEGER,
  -- Of a 'language' window: the probability of each language. NULL: not done.
  result TEXT,
  -- Of a 'speech' window. NULL: not done.
  word_count INTEGER,
  by_starter INTEGER NOT NULL DEFAULT 0 CHECK (by_starter IN (0, 1)),
  PRIMARY KEY (job_id, purpose, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE segment (
  job_id INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  window_idx INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  start_ms INTEGER NOT NULL,
  end_ms INTEGER NOT NULL,
  text TEXT NOT NULL,
  -- [[text, start_ms, end_ms, probability], ...]; a fifth element is the speaker.
  words TEXT NOT NULL,
  -- Who speaks most of the segment. NULL: not known.
  speaker TEXT,
  PRIMARY KEY (job_id, window_idx, idx)
) STRICT, WITHOUT ROWID;

-- Parts of the recording that were not transcribed, so that people can see them and listen to them.
CREATE TABLE skipped (
  job_id INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  start_ms INTEGER NOT NULL,
  end_ms INTEGER NOT NULL,
  reason TEXT NOT NULL CHECK (reason IN ('silence', 'noise')),
  -- The highest probability of speech in it, and its loudest level.
  probability REAL NOT NULL,
  level_db REAL NOT NULL,
  PRIMARY KEY (job_id, start_ms)
) STRICT, WITHOUT ROWID;

-- ---- Webhooks ----

CREATE TABLE webhook_endpoint (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id INTEGER NOT NULL REFERENCES owner (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  -- In clear text: signing needs the secret itself.
  signing_secret TEXT NOT NULL,
  is_active INTEGER NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1)),
  -- Only jobs made with this key. NULL: all jobs of the owner. Keys are deleted only together with their owner.
  api_key_id INTEGER REFERENCES api_key (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_endpoint_by_owner ON webhook_endpoint (owner_id, id);

-- One row for each event and receiver, written in the transaction that ends the job.
CREATE TABLE webhook_delivery (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job_id INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  -- NULL: the job's own webhook_url. Not a foreign key: the log outlives the endpoint.
  endpoint_id INTEGER,
  event TEXT NOT NULL CHECK (event IN ('transcription.completed', 'transcription.failed')),
  message_id TEXT NOT NULL UNIQUE,
  body TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_delivery_by_job ON webhook_delivery (job_id);
CREATE INDEX webhook_delivery_pending_by_endpoint ON webhook_delivery (endpoint_id) WHERE status = 'pending';

-- Every HTTP request made for a delivery. Old rows are deleted after some time.
CREATE TABLE webhook_attempt (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  delivery_id INTEGER NOT NULL REFERENCES webhook_delivery (id) ON DELETE CASCADE,
  owner_id INTEGER NOT NULL,
  endpoint_id INTEGER,
  url TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('success', 'failed')),
  attempt INTEGER NOT NULL,
  response_code INTEGER,
  error TEXT,
  duration_ms INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_attempt_by_delivery ON webhook_attempt (delivery_id);
CREATE INDEX webhook_attempt_by_owner ON webhook_attempt (owner_id, id);
CREATE INDEX webhook_attempt_by_endpoint ON webhook_attempt (endpoint_id, id) WHERE endpoint_id IS NOT NULL;
-- Failures are few among many successes.
CREATE INDEX webhook_attempt_failed ON webhook_attempt (owner_id, id) WHERE status = 'failed';
CREATE INDEX webhook_attempt_by_age ON webhook_attempt (created_at);

-- ---- Our own authorization server ----

CREATE TABLE oauth_client (
  id TEXT PRIMARY KEY,
  -- JSON with the field names of RFC 7591.
  metadata TEXT NOT NULL,
  -- 1: the client registered itself. 0: the administrator added it.
  is_dynamic INTEGER NOT NULL CHECK (is_dynamic IN (0, 1)),
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE oauth_record (
  kind TEXT NOT NULL,
  -- SHA-256 of the id. Codes, refresh tokens and session cookies are ids, and are stored nowhere else.
  id_hash BLOB NOT NULL,
  -- JSON without the id.
  payload TEXT NOT NULL,
  -- A second name of sessions.
  uid TEXT,
  -- The grant a record belongs to. Of a grant: its own id, which gives no access.
  grant_id TEXT,
  owner_id INTEGER REFERENCES owner (id) ON DELETE CASCADE,
  client_id TEXT REFERENCES oauth_client (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  consumed_at INTEGER,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (kind, id_hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX oauth_record_by_uid ON oauth_record (uid) WHERE uid IS NOT NULL;
CREATE INDEX oauth_record_by_grant ON oauth_record (grant_id) WHERE grant_id IS NOT NULL;
CREATE INDEX oauth_record_by_owner ON oauth_record (owner_id) WHERE owner_id IS NOT NULL;
CREATE INDEX oauth_record_by_client ON oauth_record (client_id) WHERE client_id IS NOT NULL;
CREATE INDEX oauth_record_by_expiry ON oauth_record (expires_at);

CREATE TABLE oauth_key (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- The private signing key as a JWK.
  jwk TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
