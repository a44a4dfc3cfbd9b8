-- Our own authorization server: its clients, what it remembers of requests and grants, and the key it signs with.
CREATE TABLE oauth_client (
  id TEXT PRIMARY KEY,
  -- As RFC 7591 names it, in JSON.
  metadata TEXT NOT NULL,
  -- Registered by itself; otherwise by the administrator.
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
  -- The grant a record belongs to; of a grant itself, its id, which opens nothing.
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
  -- The private key as a JWK.
  jwk TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
