-- As before. But tables go in the order in which they refer to each other, and each wholly before
-- the next: a start token kept the device that it refers to, and audiences that went while some of
-- their topics were left kept the tenant for good.
CREATE OR REPLACE FUNCTION remove_tenant(of_tenant integer, rows_max integer) RETURNS bigint
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
        SELECT t.name, t.depth FROM moving_tables() t
        WHERE t.name NOT IN (
            'log_head', 'projection_checkpoint', 'log_archive',
            -- What was done to it stays known.
            'audit_entry'
        )
        -- What moves are made of, which does not move.
        UNION ALL SELECT m.name, 99 FROM unnest(
            '{departed_key,departed_tenant,moved_row,staged_row,tenant_move}'::text[]) m (name)
        ORDER BY 2 DESC, 1
    LOOP
        EXECUTE format(
            'DELETE FROM %1$I WHERE ctid = ANY (ARRAY('
                'SELECT ctid FROM %1$I WHERE tenant = $1 LIMIT $2))', belonging.name)
        USING of_tenant, rows_max;
        GET DIAGNOSTICS removed = ROW_COUNT;
        total := total + removed;
        -- What refers to others goes first, and wholly.
        EXIT WHEN removed = rows_max;
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
