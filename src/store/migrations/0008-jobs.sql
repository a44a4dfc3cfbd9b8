-- decode_attempt when the job was last retried: crashes are counted from there, while the number itself goes on, because it fences.
ALTER TABLE job ADD COLUMN decode_attempt_base INTEGER NOT NULL DEFAULT 0;
CREATE INDEX job_by_owner_status ON job (owner_id, status, id);
-- Whether anything still refers to a row that is to be removed.
CREATE INDEX job_by_media ON job (media_id);
CREATE INDEX upload_by_job ON upload (job_id) WHERE job_id IS NOT NULL;
