-- Plans whose limits the administrator has changed, as a whole: a column that is NULL has no limit. Other plans have the limits of the program.
CREATE TABLE plan_limits (
  plan TEXT PRIMARY KEY CHECK (plan IN ('free', 'build', 'scale', 'pro', 'agency', 'enterprise')),
  requests_per_day INTEGER CHECK (requests_per_day >= 0),
  speech_minutes_per_month INTEGER CHECK (speech_minutes_per_month >= 0),
  diarization INTEGER NOT NULL CHECK (diarization IN (0, 1))
) STRICT, WITHOUT ROWID;
