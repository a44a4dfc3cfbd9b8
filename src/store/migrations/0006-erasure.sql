-- What deleted rows leave in unallocated space of the database file has to be cleared. It is pending while requested > cleared.
CREATE TABLE erasure (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- Counts deletions of rows with text or names.
  requested INTEGER NOT NULL DEFAULT 0,
  -- The value of requested at the beginning of the last complete pass over the file.
  cleared INTEGER NOT NULL DEFAULT 0,
  -- Counts cleared stretches: each commit makes other connections drop pages that they read before.
  version INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO erasure (id) VALUES (1);

-- Triggers, because rows are also deleted by references to their owner.
CREATE TRIGGER job_erased AFTER DELETE ON job BEGIN
  UPDATE erasure SET requested = requested + 1;
END;
CREATE TRIGGER upload_erased AFTER DELETE ON upload BEGIN
  UPDATE erasure SET requested = requested + 1;
END;

-- How many days recordings and transcripts of the owner are retained. 0: forever. NULL: as configured.
ALTER TABLE owner ADD COLUMN media_days INTEGER CHECK (media_days >= 0);
ALTER TABLE owner ADD COLUMN transcript_days INTEGER CHECK (transcript_days >= 0);
CREATE INDEX job_ended ON job (owner_id, completed_at) WHERE completed_at IS NOT NULL;
