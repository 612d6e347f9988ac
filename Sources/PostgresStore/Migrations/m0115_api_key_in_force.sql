-- api_key_in_force: the keys that count against what a tenant may have, and that tickets may be of.
-- Those that have expired without being revoked may be any number until they are swept.
CREATE INDEX api_key_in_force ON api_key (tenant, coalesce(expires_at, 'infinity'), id)
    WHERE revoked_at IS NULL;
DROP INDEX api_key_living;

-- A tenant's list has ended ones too.
CREATE INDEX api_key_of_tenant ON api_key (tenant, id);
