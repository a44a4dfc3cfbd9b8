-- How often an owner called on a day (the midnight it began with), by key.
CREATE TABLE request_count (
  owner_id INTEGER NOT NULL REFERENCES owner (id) ON DELETE CASCADE,
  day_at INTEGER NOT NULL,
  -- 0: all OAuth tokens of the owner.
  key_id INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  PRIMARY KEY (owner_id, day_at, key_id)
) STRICT, WITHOUT ROWID;

-- The last requests of each key.
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

-- Audio of completed jobs by owner and calendar month (the midnight it began with). It stays when a transcription is deleted.
CREATE TABLE audio_month (
  owner_id INTEGER NOT NULL REFERENCES owner (id) ON DELETE CASCADE,
  month_at INTEGER NOT NULL,
  used_ms INTEGER NOT NULL,
  PRIMARY KEY (owner_id, month_at)
) STRICT, WITHOUT ROWID;
