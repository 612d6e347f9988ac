-- Does what raise_tenant_walls() does, for a database that nodes work with: each table has its own
-- transaction, so no table is locked while it waits for another one. It is called outside of a
-- transaction. What it has done before a lock timeout stays, so that another call goes on there.
CREATE PROCEDURE mend_tenant_walls() LANGUAGE plpgsql AS $$
DECLARE
    walled regclass;
BEGIN
    FOR walled IN
        SELECT c.oid FROM pg_class c
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
            AND NOT c.relispartition
        ORDER BY c.relname
    LOOP
        PERFORM raise_tenant_walls(walled);
        COMMIT;
    END LOOP;
    PERFORM raise_tenant_walls();
END
$$;
