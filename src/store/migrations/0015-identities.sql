-- Who an owner is at the identity provider, for signing in on the page.
CREATE TABLE owner_identity (
  owner_id INTEGER PRIMARY KEY REFERENCES owner (id) ON DELETE CASCADE,
  issuer TEXT NOT NULL,
  -- Unique at the issuer, and never given to another person.
  subject TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (issuer, subject)
) STRICT;

-- Whether there is an administrator who signs in there.
CREATE INDEX owner_administrator ON owner (id) WHERE is_administrator = 1;
