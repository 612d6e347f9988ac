-- Rows of a tenant that is gone, or has not arrived, may be removed although nothing else may
-- remove them: they are in another cell.
CREATE FUNCTION is_elsewhere(of_tenant integer) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM tenant_move m WHERE m.tenant = of_tenant AND m.state IN ('gone', 'arriving')
    )
$$;

CREATE OR REPLACE FUNCTION refuse_to_drop_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM (
            -- OFFSET: or the functions below are called for each row that is gone.
            SELECT g.tenant, max(g.position) AS position FROM gone g GROUP BY g.tenant OFFSET 0
        ) g WHERE g.position > archived_through(g.tenant) AND NOT is_elsewhere(g.tenant)
    ) THEN
        RAISE EXCEPTION 'events that are not archived are never removed (DELETE on event)'
            USING ERRCODE = 'restrict_violation',
                HINT = 'islet archive writes them to files, and drops what has ended';
    END IF;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION refuse_to_drop_policies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM gone g WHERE NOT is_elsewhere(g.tenant)
            AND g.tenant NOT IN (SELECT tenant FROM removed_tenant)
    ) THEN
        RAISE EXCEPTION 'policies are never removed; put a new version (DELETE on policy)'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION refuse_to_drop_acts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM gone g WHERE NOT is_elsewhere(g.tenant)) THEN
        RAISE EXCEPTION 'acts are never changed or removed (DELETE on audit_entry)'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;

DROP TRIGGER audit_entry_is_append_only ON audit_entry;

CREATE TRIGGER audit_entry_is_append_only
    BEFORE UPDATE OR TRUNCATE ON audit_entry
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_acts();

CREATE TRIGGER audit_entry_is_kept
    AFTER DELETE ON audit_entry REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_drop_acts();

ALTER TABLE audit_entry ENABLE ALWAYS TRIGGER audit_entry_is_append_only;
ALTER TABLE audit_entry ENABLE ALWAYS TRIGGER audit_entry_is_kept;

-- Removes up to `rows_max` rows of each table of a tenant that is elsewhere. Returns their number;
-- 0: nothing is left of it.
CREATE FUNCTION clear_moved(of_tenant integer, rows_max integer) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    moving record;
    total bigint := 0;
    removed bigint;
BEGIN
    PERFORM FROM tenant_move m
    WHERE m.tenant = of_tenant AND m.state IN ('gone', 'arriving') FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the tenant is here, and not moving'
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    PERFORM set_config('islet.moving', 'yes', true);
    DELETE FROM moved_row WHERE tenant = of_tenant;
    FOR moving IN
        SELECT t.name, t.depth FROM moving_tables() t
        UNION ALL SELECT 'staged_row', 99
        ORDER BY 2 DESC, 1
    LOOP
        EXECUTE format(
            'DELETE FROM %1$I WHERE ctid = ANY (ARRAY('
                'SELECT ctid FROM %1$I WHERE tenant = $1 LIMIT $2))', moving.name)
        USING of_tenant, rows_max;
        GET DIAGNOSTICS removed = ROW_COUNT;
        total := total + removed;
        -- What refers to others goes first, and wholly.
        EXIT WHEN removed = rows_max;
    END LOOP;
    IF total = 0 THEN
        DELETE FROM tenant WHERE id = of_tenant;
    END IF;
    RETURN total;
END
$$;
