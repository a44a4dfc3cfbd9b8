-- 1: the bundled model found the speakers, because installed speaker models could not be used. Readers are warned.
ALTER TABLE diarization ADD COLUMN is_substitute INTEGER NOT NULL DEFAULT 0;
