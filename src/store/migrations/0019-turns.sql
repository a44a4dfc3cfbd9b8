-- Who talks when, from the observations: a JSON array of turns. Kept until the words of the last window are there to be labelled.
ALTER TABLE diarization ADD COLUMN turns TEXT;
