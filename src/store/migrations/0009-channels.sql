-- Recordings whose channels are transcribed one by one, such as calls with one person on each.

-- How many channels of the recording are transcribed: 1 when they are mixed.
ALTER TABLE job ADD COLUMN channels INTEGER NOT NULL DEFAULT 1;

-- The channel that the window and its text are from. NULL: all channels, mixed.
ALTER TABLE window ADD COLUMN channel INTEGER;
ALTER TABLE segment ADD COLUMN channel INTEGER;

-- Windows of two channels lie beside each other, so the order of windows is not that of time.
CREATE INDEX segment_by_time ON segment (job_id, start_ms, window_idx, idx);
