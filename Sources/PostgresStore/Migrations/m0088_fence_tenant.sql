-- Whether anything is being sent for a tenant: activities that a node has claimed, by their
-- advisory locks, and leases of webhooks.
CREATE FUNCTION is_sending_for(of_tenant integer) RETURNS boolean LANGUAGE sql AS $$
    SELECT EXISTS (
        SELECT FROM pg_locks l JOIN pg_database d ON d.oid = l.database
        WHERE l.locktype = 'advisory' AND l.objsubid = 2 AND l.classid::bigint = of_tenant
            AND d.datname = current_database()
    ) OR EXISTS (
        SELECT FROM webhook w
        WHERE w.tenant = of_tenant AND w.lease IS NOT NULL AND w.lease_until > clock_timestamp()
    )
$$;

-- For some seconds nothing more is claimed for a leaving tenant. What is being sent goes on.
CREATE FUNCTION close_tenant(of_tenant integer, seconds float8) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(move_lock(of_tenant));
    UPDATE tenant_move SET closed_until = clock_timestamp() + seconds * interval '1 s',
        is_fenced = false
    WHERE tenant = of_tenant AND state = 'leaving';
    RETURN FOUND;
END
$$;

-- For some seconds nothing of a tenant is written, if nothing is claimed for it any more. A second
-- time: for as long from now on.
CREATE FUNCTION fence_tenant(of_tenant integer, seconds float8) RETURNS boolean
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(move_lock(of_tenant));
    IF is_sending_for(of_tenant) THEN
        RETURN false;
    END IF;
    UPDATE tenant_move SET closed_until = clock_timestamp() + seconds * interval '1 s',
        is_fenced = true
    WHERE tenant = of_tenant AND state = 'leaving' AND closed_until > clock_timestamp();
    RETURN FOUND;
END
$$;

-- A leaving tenant is as it was before it was closed.
CREATE FUNCTION reopen_tenant(of_tenant integer) RETURNS void LANGUAGE sql AS $$
    UPDATE tenant_move SET closed_until = NULL, is_fenced = false
    WHERE tenant = of_tenant AND state = 'leaving'
$$;

-- Refuses when one of some tenants is closed: whoever sends page by page stops then.
CREATE FUNCTION refuse_if_closed(of_tenants integer[]) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM tenant_move m
        WHERE m.tenant = ANY (of_tenants) AND m.closed_until > clock_timestamp()
    ) THEN
        RAISE EXCEPTION 'the tenant is moving to another cell: try again in a moment'
            USING ERRCODE = 'IS503';
    END IF;
    RETURN false;
END
$$;
