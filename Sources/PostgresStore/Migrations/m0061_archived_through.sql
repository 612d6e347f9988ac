-- The last position of a tenant's log that is archived, or 0.
CREATE FUNCTION archived_through(of_tenant integer) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT coalesce(max(a.through), 0) FROM log_archive a WHERE a.tenant = of_tenant
$$;
