-- api_key_in_force: the keys that count against what a tenant may have, and that tickets may be of.
-- Those that have expired without being revoked may be any number until they are swept.
-- What takes the table's strongest lock comes first: a weaker one that is raised later would wait
-- for a sweep that waits for it.
DROP INDEX api_key_living;

CREATE INDEX api_key_in_force ON api_key (tenant, coalesce(expires_at, 'infinity'), id)
    WHERE revoked_at IS NULL;

-- A tenant's list has ended ones too.
CREATE INDEX api_key_of_tenant ON api_key (tenant, id);
