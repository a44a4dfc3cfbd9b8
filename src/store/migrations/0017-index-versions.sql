-- A new index of a job is stored little by little, beside the one that searches see. Passages whose version is not that of job_index are
-- not found: they belong to an index that is being stored, or that was replaced.
ALTER TABLE passage ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
ALTER TABLE job_index ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
DROP INDEX passage_by_job;
CREATE INDEX passage_by_job ON passage (job_id, version, id);

-- How passages are cut and stored. Indexes of an older layout are made again in the background.
ALTER TABLE job_index ADD COLUMN layout INTEGER NOT NULL DEFAULT 0;

-- What neighbouring passages are about together: the mean of their vectors, of those from first_id to the next stretch.
CREATE TABLE passage_stretch (
  job_id INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  first_id INTEGER NOT NULL,
  -- Of the model of job_index, one signed byte for each dimension.
  vector BLOB NOT NULL,
  PRIMARY KEY (job_id, version, first_id)
) STRICT, WITHOUT ROWID;

-- The full-text index merges its segments only when it is told to, some pages at a time: merges of its own take up to 100 ms.
INSERT INTO passage_terms (passage_terms, rank) VALUES ('automerge', 0);
INSERT INTO passage_terms (passage_terms, rank) VALUES ('crisismerge', 64);
