-- The log of requests to receivers ends after some time.
CREATE INDEX webhook_attempt_by_age ON webhook_attempt (created_at);
