-- Search: passages of transcripts, their words, and their vectors.

-- Vectors of different models are never compared.
CREATE TABLE embedding_model (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  dimensions INTEGER NOT NULL
) STRICT;

-- Jobs whose text is indexed. A completed job without a row, or with an old one, is indexed in the background.
CREATE TABLE job_index (
  job_id INTEGER PRIMARY KEY REFERENCES job (id) ON DELETE CASCADE,
  -- The model of its vectors. NULL: found by words only.
  model_id INTEGER REFERENCES embedding_model (id),
  -- Why it has no vectors although a model is configured. NULL: nothing is wrong.
  fault TEXT,
  indexed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX job_index_by_model ON job_index (model_id);

-- The number of the last passage of each owner. Numbers are never used again.
CREATE TABLE passage_counter (
  owner_id INTEGER PRIMARY KEY REFERENCES owner (id) ON DELETE CASCADE,
  last INTEGER NOT NULL
) STRICT;

CREATE TABLE passage (
  -- owner_id * 2^31 + number of the passage: passages of an owner are neighbours in every index, and a search reads no others.
  id INTEGER PRIMARY KEY,
  job_id INTEGER NOT NULL REFERENCES job (id) ON DELETE CASCADE,
  start_ms INTEGER NOT NULL,
  end_ms INTEGER NOT NULL,
  text TEXT NOT NULL,
  -- Who talks in it: a JSON list.
  speakers TEXT NOT NULL,
  -- [[offset in text, start_ms, end_ms], ...]
  sentences TEXT NOT NULL
) STRICT;
CREATE INDEX passage_by_job ON passage (job_id, id);

-- Terms of the passages, by rowid = passage.id. It stores no text; the columns of `passage` have it.
CREATE VIRTUAL TABLE passage_terms USING fts5 (
  terms, content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
);

CREATE TABLE passage_vector (
  passage_id INTEGER NOT NULL REFERENCES passage (id) ON DELETE CASCADE,
  model_id INTEGER NOT NULL REFERENCES embedding_model (id),
  -- One signed byte for each dimension.
  vector BLOB NOT NULL,
  PRIMARY KEY (passage_id, model_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER passage_removed AFTER DELETE ON passage BEGIN
  DELETE FROM passage_terms WHERE rowid = old.id;
END;
