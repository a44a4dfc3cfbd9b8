-- Quotes have the names of their speakers: naming and merging speakers drops what was made from the transcript. Every change of a speaker
-- writes its row again.
CREATE TRIGGER artifact_dropped_by_speaker AFTER INSERT ON speaker
BEGIN
  DELETE FROM artifact WHERE job_id = new.job_id;
END;
