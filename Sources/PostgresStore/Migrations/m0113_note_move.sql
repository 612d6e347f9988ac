-- What works as the owner of the tables must find nothing of its callers'. Postgres looks into a
-- session's temporary tables first, unless the path names them last. And anyone who may execute a
-- trigger function may put it on a table of their own.
DO $$
DECLARE
    definer record;
BEGIN
    FOR definer IN
        SELECT p.oid::regprocedure AS routine, p.pronamespace::regnamespace AS home
        FROM pg_proc p
        WHERE p.oid IN ('note_move()'::regprocedure, 'skip_while_fenced()'::regprocedure)
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %s, pg_temp',
            definer.routine, definer.home);
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', definer.routine);
    END LOOP;
END
$$;
