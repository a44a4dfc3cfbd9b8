-- When the administrator locked the person out, in ms since 1970: the identity stays known, so that it gets no new account by itself.
-- NULL: the person signs in to the account.
ALTER TABLE owner_identity ADD COLUMN ended_at INTEGER;
