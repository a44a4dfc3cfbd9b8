-- Which key made it; NULL: the command line.
ALTER TABLE upload ADD COLUMN api_key_id INTEGER REFERENCES api_key (id);
ALTER TABLE job ADD COLUMN api_key_id INTEGER REFERENCES api_key (id);
-- Where the end of this job is told besides the owner's endpoints; both NULL: nowhere.
ALTER TABLE upload ADD COLUMN webhook_url TEXT;
ALTER TABLE upload ADD COLUMN webhook_secret TEXT;
ALTER TABLE job ADD COLUMN webhook_url TEXT;
ALTER TABLE job ADD COLUMN webhook_secret TEXT;

CREATE TABLE webhook_endpoint (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id INTEGER NOT NULL REFERENCES owner (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  -- As it is: a signature needs the secret itself, a hash of it would not do.
  signing_secret TEXT NOT NULL,
  is_active INTEGER NOT NULL DEFAULT 1 CHECK (is_active IN (0, 1)),
  -- Only jobs made with this key; NULL: all jobs of the owner. Keys go only with their owner.
  api_key_id INTEGER REFERENCES api_key (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_endpoint_by_owner ON webhook_endpoint (owner_id, id);

-- The outbox: one row for each event and receiver, written in the transaction that ends the job.
CREATE TABLE webhook_delivery (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job_id INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  -- NULL: the job's own webhook_url. Not a foreign key: what was sent outlives the endpoint.
  endpoint_id INTEGER,
  event TEXT NOT NULL CHECK (event IN ('transcription.completed', 'transcription.failed')),
  message_id TEXT NOT NULL UNIQUE,
  body TEXT NOT NULL,
  -- What is served in turn: an endpoint, or a host of an owner's jobs.
  receiver TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
  -- Attempts of the schedule that came to an end without success.
  failures INTEGER NOT NULL DEFAULT 0,
  due_at INTEGER NOT NULL,
  -- A claim, as of windows.
  attempt INTEGER NOT NULL DEFAULT 0,
  lease_until INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_delivery_ready ON webhook_delivery (receiver, coalesce(lease_until, due_at)) WHERE status = 'pending';
CREATE INDEX webhook_delivery_by_job ON webhook_delivery (job_id);
CREATE INDEX webhook_delivery_pending_by_endpoint ON webhook_delivery (endpoint_id) WHERE status = 'pending';

-- Every HTTP request that was made for a delivery.
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
