-- The revision that a request with an Idempotency-Key has begun. A change of a long transcript is several transactions: if the server dies
-- between them, the repeated request completes this revision. NULL: none.
ALTER TABLE idempotent_request ADD COLUMN revision INTEGER;
