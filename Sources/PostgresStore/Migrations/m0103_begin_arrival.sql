-- Begins to take a tenant in, or goes on with the move that has begun. What has stayed here from
-- when it was here before would not be the same as what comes, and goes first. Only tables that do
-- not refer to `tenant` can have any. If there is such a tenant nothing goes, since its row cannot
-- be put a second time.
CREATE OR REPLACE FUNCTION begin_arrival(
    of_tenant integer, its_name text, created timestamptz, of_move text, from_cell text
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    moving record;
BEGIN
    PERFORM set_config('islet.moving', 'yes', true);
    INSERT INTO tenant_move (tenant, name, move, state, cell)
    VALUES (of_tenant, its_name, of_move, 'arriving', from_cell);
    INSERT INTO tenant (id, name, created_at) OVERRIDING SYSTEM VALUE
    VALUES (of_tenant, left(its_name, 150) || ' (arriving)', created);
    FOR moving IN
        SELECT t.name, t.depth FROM moving_tables() t
        -- What was done to a tenant stays known.
        WHERE t.name <> 'audit_entry'
        UNION ALL SELECT 'staged_row', 99
        ORDER BY 2 DESC, 1
    LOOP
        EXECUTE format('DELETE FROM %I WHERE tenant = $1', moving.name) USING of_tenant;
    END LOOP;
END
$$;
