-- ---- Limits that protect owners from each other ----

-- Until then, the bytes that have not arrived are reserved on the disk. Each part that arrives extends it.
ALTER TABLE upload ADD COLUMN reserved_until INTEGER NOT NULL DEFAULT 0;
CREATE INDEX upload_by_owner ON upload (owner_id) WHERE job_id IS NULL;
CREATE INDEX upload_by_reservation ON upload (reserved_until) WHERE job_id IS NULL;

-- Whose request it was: each has a limit of stored replies. Replies of earlier versions have none, and are kept for a day like all.
ALTER TABLE idempotent_request ADD COLUMN scope TEXT NOT NULL DEFAULT '';
CREATE INDEX idempotent_request_by_scope ON idempotent_request (scope, created_at);
