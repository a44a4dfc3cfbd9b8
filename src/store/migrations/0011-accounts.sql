-- Accounts of the page: owners who sign in with their password, and what they share.

-- 1: the owner may also administer the appliance.
ALTER TABLE owner ADD COLUMN is_administrator INTEGER NOT NULL DEFAULT 0 CHECK (is_administrator IN (0, 1));
-- Asked before every first start: whether there is an account yet.
CREATE INDEX owner_with_password ON owner (id) WHERE password_hash IS NOT NULL;

CREATE TABLE page_session (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  owner_id INTEGER NOT NULL REFERENCES owner (id) ON DELETE CASCADE,
  -- SHA-256 of the secret in the cookie. The secret itself is not stored.
  hash BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  -- To the minute.
  last_used_at INTEGER NOT NULL
) STRICT;
CREATE INDEX page_session_by_owner ON page_session (owner_id, id);
CREATE INDEX page_session_by_use ON page_session (last_used_at);
CREATE INDEX page_session_by_age ON page_session (created_at);

-- Links with which anybody can read one transcription.
CREATE TABLE share (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job_id INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  -- SHA-256 of the token in the link. The token itself is not stored.
  hash BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
CREATE INDEX share_by_job ON share (job_id, id);
CREATE INDEX share_by_expiry ON share (expires_at);
