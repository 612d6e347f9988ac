-- Removes what belongs to a tenant, up to `rows_max` rows of each table, and the tenant itself when
-- nothing else is left. Returns the number of rows; 0: it is gone. Its keys go first, so that
-- nobody reports anything meanwhile. The log has to be archived wholly, or nothing of it goes.
CREATE FUNCTION remove_tenant(of_tenant integer, rows_max integer) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    belonging record;
    total bigint := 0;
    removed bigint;
BEGIN
    DELETE FROM sign_in WHERE tenant = of_tenant;
    DELETE FROM api_key WHERE tenant = of_tenant;
    DELETE FROM ticket_secret WHERE tenant = of_tenant;
    PERFORM FROM log_head WHERE tenant = of_tenant FOR UPDATE;
    IF (SELECT position FROM log_head WHERE tenant = of_tenant) > archived_through(of_tenant) THEN
        RAISE EXCEPTION 'the log has events that are not archived'
            USING ERRCODE = 'restrict_violation';
    END IF;
    INSERT INTO removed_tenant (tenant) VALUES (of_tenant) ON CONFLICT DO NOTHING;
    FOR belonging IN
        SELECT c.oid::regclass AS name FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'
            AND c.relname NOT IN (
                'tenant', 'log_head', 'projection_checkpoint', 'log_archive', 'removed_tenant',
                -- What was done to it stays known.
                'audit_entry'
            )
        -- What refers to other rows first.
        ORDER BY (
            SELECT count(*) FROM pg_constraint r WHERE r.contype = 'f' AND r.confrelid = c.oid
        ), c.relname
    LOOP
        EXECUTE format(
            'DELETE FROM %1$s WHERE ctid = ANY (ARRAY('
                'SELECT ctid FROM %1$s WHERE tenant = $1 LIMIT $2))', belonging.name)
        USING of_tenant, rows_max;
        GET DIAGNOSTICS removed = ROW_COUNT;
        total := total + removed;
    END LOOP;
    IF total = 0 THEN
        DELETE FROM log_archive WHERE tenant = of_tenant;
        DELETE FROM projection_checkpoint WHERE tenant = of_tenant;
        DELETE FROM log_head WHERE tenant = of_tenant;
        INSERT INTO audit_entry (tenant, actor, act, subject)
        SELECT id, acting(), 'tenant.removed', name FROM tenant WHERE id = of_tenant;
        DELETE FROM tenant WHERE id = of_tenant;
    END IF;
    RETURN total;
END
$$;
