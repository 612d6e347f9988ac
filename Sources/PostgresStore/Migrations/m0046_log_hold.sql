-- Why nothing may be sent from this database; NULL when it may.
CREATE FUNCTION log_hold() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN held_why IS NOT NULL THEN held_why
        WHEN marker <> database_marker() THEN 'copied'
        WHEN timeline IS DISTINCT FROM database_timeline() THEN 'timeline'
    END
    FROM log_identity
$$;
