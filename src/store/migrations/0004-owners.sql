-- What OAuth tokens of the owner may do, and what a new key gets when nothing else is said.
ALTER TABLE owner ADD COLUMN plan TEXT NOT NULL DEFAULT 'enterprise' CHECK (plan IN ('free', 'build', 'scale', 'pro', 'agency', 'enterprise'));
-- For the login of our own authorization server; NULL: the owner cannot log in.
ALTER TABLE owner ADD COLUMN password_hash TEXT;
CREATE INDEX api_key_by_owner ON api_key (owner_id, id);
