-- What people change in transcriptions: titles, tags, and the text itself.

-- Given by a person. NULL: as the recording was named.
ALTER TABLE job ADD COLUMN title TEXT;

-- The title that people see, and the file name, both folded: the library is filtered and sorted by it. `fold` is a function of
-- src/store/database.ts, and the triggers below keep the key right.
ALTER TABLE job ADD COLUMN name_key TEXT NOT NULL DEFAULT '';
UPDATE job SET name_key =
  fold(coalesce((SELECT s.title FROM source s WHERE s.job_id = job.id), file_name)) || char(10) || fold(file_name);
CREATE TRIGGER job_renamed AFTER UPDATE OF title, file_name ON job BEGIN
  UPDATE job SET name_key =
    fold(coalesce(title, (SELECT s.title FROM source s WHERE s.job_id = job.id), file_name)) || char(10) || fold(file_name)
  WHERE id = new.id;
END;
CREATE TRIGGER job_named AFTER INSERT ON job BEGIN
  UPDATE job SET file_name = file_name WHERE id = new.id;
END;
CREATE TRIGGER source_renamed AFTER UPDATE OF title ON source BEGIN
  UPDATE job SET file_name = file_name WHERE id = new.job_id;
END;
CREATE INDEX job_by_owner_name ON job (owner_id, name_key, id);
CREATE INDEX job_by_owner_duration ON job (owner_id, coalesce(duration_ms, -1), id);

CREATE TABLE tag (
  job_id INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  -- Lower case: tags that differ only in case are one.
  key TEXT NOT NULL,
  owner_id INTEGER NOT NULL REFERENCES owner (id) ON DELETE CASCADE,
  -- As the person wrote it, and in which order.
  name TEXT NOT NULL,
  idx INTEGER NOT NULL,
  PRIMARY KEY (job_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX tag_by_owner ON tag (owner_id, key, job_id);

-- What the machine wrote stays beside what people made of it. NULL: nobody has changed the segment, or somebody changed it back.
ALTER TABLE segment ADD COLUMN machine_text TEXT;
ALTER TABLE segment ADD COLUMN machine_words TEXT;
-- The number of the last revision that changed the segment. 0: none.
ALTER TABLE segment ADD COLUMN revision INTEGER NOT NULL DEFAULT 0;
-- The revision that its text comes from. It differs from `revision` after an undo, which brings back earlier text. 0: the machine.
ALTER TABLE segment ADD COLUMN content INTEGER NOT NULL DEFAULT 0;
-- How often speakers were given to its words.
ALTER TABLE segment ADD COLUMN labelling INTEGER NOT NULL DEFAULT 0;

-- A change of the text by a person, numbered from 1 within a transcription.
CREATE TABLE revision (
  job_id INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('edit', 'replace', 'undo')),
  at INTEGER NOT NULL,
  -- How many segments it changed.
  segments INTEGER NOT NULL,
  -- The revision that an undo undid.
  undoes INTEGER CHECK ((undoes IS NOT NULL) = (kind = 'undo')),
  -- The undo that undid it, unless that was undone as well.
  undone_by INTEGER,
  PRIMARY KEY (job_id, number)
) STRICT, WITHOUT ROWID;

-- A segment before and after a revision.
CREATE TABLE revision_segment (
  job_id INTEGER NOT NULL,
  number INTEGER NOT NULL,
  window_idx INTEGER NOT NULL,
  idx INTEGER NOT NULL,
  before_text TEXT NOT NULL,
  before_words TEXT NOT NULL,
  before_content INTEGER NOT NULL,
  before_labelling INTEGER NOT NULL,
  -- 1: it was the machine's text.
  by_machine INTEGER NOT NULL CHECK (by_machine IN (0, 1)),
  after_text TEXT NOT NULL,
  after_content INTEGER NOT NULL,
  PRIMARY KEY (job_id, number, window_idx, idx),
  FOREIGN KEY (job_id, number) REFERENCES revision (job_id, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
