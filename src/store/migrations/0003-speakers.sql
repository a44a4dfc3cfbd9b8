-- Who speaks most of a segment; its words have theirs as a fifth element. NULL: speakers were not told apart.
ALTER TABLE segment ADD COLUMN speaker TEXT;
