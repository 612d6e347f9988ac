-- Tickets count as long as the key that made them does.
CREATE INDEX api_key_living ON api_key (tenant, id) WHERE revoked_at IS NULL;
