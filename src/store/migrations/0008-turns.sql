-- Number of the owner's last turn among owners whose recordings are fetched, and among those whose recordings are decoded. Windows have
-- turns of their own, last_turn: an owner whose recordings all fail before they are transcribed never takes one of those.
ALTER TABLE owner ADD COLUMN last_fetch_turn INTEGER NOT NULL DEFAULT 0;
ALTER TABLE owner ADD COLUMN last_decode_turn INTEGER NOT NULL DEFAULT 0;
