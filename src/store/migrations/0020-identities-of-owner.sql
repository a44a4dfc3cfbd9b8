-- An account keeps the identities that the administrator ended beside the one that signs in. Otherwise connecting another person would
-- forget who was locked out.
ALTER TABLE owner_identity RENAME TO old_identity;
CREATE TABLE owner_identity (
  owner_id INTEGER NOT NULL REFERENCES owner (id) ON DELETE CASCADE,
  issuer TEXT NOT NULL,
  -- Unique at the issuer, and never given to another person.
  subject TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- When the administrator locked the person out, in ms since 1970. NULL: the person signs in to the account.
  ended_at INTEGER,
  PRIMARY KEY (owner_id, issuer, subject),
  UNIQUE (issuer, subject)
) STRICT, WITHOUT ROWID;
INSERT INTO owner_identity SELECT owner_id, issuer, subject, created_at, ended_at FROM old_identity;
DROP TABLE old_identity;
CREATE UNIQUE INDEX owner_identity_open ON owner_identity (owner_id) WHERE ended_at IS NULL;
