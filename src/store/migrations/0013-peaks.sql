-- How loud a recording is, for drawing it. Written when it is decoded; of recordings decoded earlier, when somebody first asks.
CREATE TABLE peaks (
  job_id INTEGER PRIMARY KEY REFERENCES job (id) ON DELETE CASCADE,
  -- Values for each second of the recording.
  per_second REAL NOT NULL,
  -- The largest amplitude of each stretch, a byte from 0 to 127.
  amplitudes BLOB NOT NULL
) STRICT;
