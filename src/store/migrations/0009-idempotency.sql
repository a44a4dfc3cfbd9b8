-- Requests that came with an Idempotency-Key, and their answers.
CREATE TABLE idempotent_request (
  -- SHA-256 of who asked, for which operation, under which key: the key itself is not kept.
  id BLOB PRIMARY KEY,
  -- Of what was asked; keyed, so that nothing of a body can be guessed from it.
  fingerprint BLOB NOT NULL,
  -- Sealed with the caller's key; NULL while the first request is under way.
  answer BLOB,
  -- A claim, as of windows.
  attempt INTEGER NOT NULL DEFAULT 1,
  lease_until INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotent_request_by_age ON idempotent_request (created_at);
