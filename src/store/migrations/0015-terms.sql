-- Names and terms of the owner's recordings, a list in JSON. A job gets a copy of it.
ALTER TABLE owner ADD COLUMN terms TEXT NOT NULL DEFAULT '[]' CHECK (json_type(terms) = 'array');
