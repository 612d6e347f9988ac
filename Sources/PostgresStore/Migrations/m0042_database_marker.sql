-- Names this database and no copy of it: a dump makes another table, and mostly another database
-- and cluster. It does not recognise a copy of the files; database_timeline() does when that was
-- promoted.
CREATE FUNCTION database_marker() RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    cluster text;
BEGIN
    BEGIN
        cluster := (SELECT system_identifier FROM pg_control_system());
    EXCEPTION WHEN insufficient_privilege THEN
        cluster := 'unknown';
    END;
    RETURN format('%s-%s-%s', cluster,
        (SELECT oid FROM pg_database WHERE datname = current_database()),
        to_regclass('log_identity')::oid);
END
$$;
