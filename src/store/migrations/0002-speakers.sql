-- Speakers: who talks in a recording.

-- Number of the owner's last turn among owners whose speakers are being identified. Windows have turns of their own: last_turn.
ALTER TABLE owner ADD COLUMN last_speaker_turn INTEGER NOT NULL DEFAULT 0;

-- A job whose speakers are wanted. No row: not wanted, or the plan of the job does not include them.
CREATE TABLE diarization (
  job_id INTEGER PRIMARY KEY REFERENCES job (id) ON DELETE CASCADE,
  -- 'failed': the transcript is complete, but has no speakers because of failure_code.
  state TEXT NOT NULL CHECK (state IN ('pending', 'done', 'failed')),
  failure_code TEXT CHECK ((failure_code IS NOT NULL) = (state = 'failed')),
  -- The number of speakers as far as the caller knows it: a JSON object with min and max, both optional.
  speaker_count TEXT NOT NULL,
  -- Number of the job's last turn among the jobs of its owner.
  last_turn INTEGER NOT NULL DEFAULT 0
) STRICT;

-- What the speaker engine has observed in each piece of a recording. Deleted when the speakers are known.
CREATE TABLE speaker_piece (
  job_id INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  idx INTEGER NOT NULL,
  -- The engine and its weights. Another engine must observe the piece again.
  engine_id TEXT NOT NULL,
  observations BLOB NOT NULL,
  PRIMARY KEY (job_id, idx)
) STRICT;

CREATE TABLE speaker (
  job_id INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  -- 1 for the speaker who talks first. Words are stored with the label "Speaker 1".
  number INTEGER NOT NULL,
  -- Given by a person. NULL: none.
  name TEXT,
  -- The number of the speaker that a person merged this one into. NULL: not merged.
  merged_into INTEGER,
  talk_ms INTEGER NOT NULL,
  PRIMARY KEY (job_id, number)
) STRICT, WITHOUT ROWID;
