-- Audio of completed jobs by owner and day (day_at is the midnight at its start), for charts. Deleting a transcription does not reduce it.
CREATE TABLE audio_day (
  owner_id INTEGER NOT NULL REFERENCES owner (id) ON DELETE CASCADE,
  day_at INTEGER NOT NULL,
  used_ms INTEGER NOT NULL,
  PRIMARY KEY (owner_id, day_at)
) STRICT, WITHOUT ROWID;

-- What is still there of earlier days.
INSERT INTO audio_day (owner_id, day_at, used_ms)
SELECT owner_id, completed_at / 86400000 * 86400000, sum(duration_ms)
FROM job
WHERE status = 'completed' AND duration_ms > 0 AND completed_at IS NOT NULL
GROUP BY 1, 2;

-- Maximum ages that owners set for themselves, in days. NULL: none. They count only where they are shorter than the administrator's.
ALTER TABLE owner ADD COLUMN own_media_days INTEGER CHECK (own_media_days > 0);
ALTER TABLE owner ADD COLUMN own_transcript_days INTEGER CHECK (own_transcript_days > 0);

-- Failed jobs of all owners, for the administrator.
CREATE INDEX job_failed ON job (id) WHERE status = 'failed';
