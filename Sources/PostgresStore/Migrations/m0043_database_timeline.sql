-- The timeline of the server, which changes with each promotion and each restore to a point in
-- time. The control file shows it only later, so it comes from the name of the WAL file.
CREATE FUNCTION database_timeline() RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN NOT pg_is_in_recovery() THEN
        ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint
    END
$$;
