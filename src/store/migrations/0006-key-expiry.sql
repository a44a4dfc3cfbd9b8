-- From then on the key opens nothing; NULL: it lives until it is revoked.
ALTER TABLE api_key ADD COLUMN expires_at INTEGER;
-- The key that rotation made in its place.
ALTER TABLE api_key ADD COLUMN replaced_by INTEGER REFERENCES api_key (id);
CREATE INDEX api_key_replaced ON api_key (replaced_by) WHERE replaced_by IS NOT NULL;
