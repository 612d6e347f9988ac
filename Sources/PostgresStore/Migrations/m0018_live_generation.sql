-- The generation of a tenant's snapshots that everybody reads.
CREATE FUNCTION live_generation(of_tenant integer) RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT generation FROM projection_checkpoint WHERE tenant = of_tenant
$$;
