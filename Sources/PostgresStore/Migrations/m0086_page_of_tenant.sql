-- Rows of a tenant as texts, which is how they travel: what a row's text is read into is the same
-- row, whatever its columns are. The settings make equal rows equal texts in every database.
CREATE FUNCTION page_of_tenant(
    of_tenant integer, of_table text, after jsonb, rows_max integer
) RETURNS TABLE (key jsonb, line text) LANGUAGE plpgsql STABLE
SET timezone TO 'UTC' SET datestyle TO 'ISO, YMD' SET intervalstyle TO 'postgres'
SET bytea_output TO 'hex' SET extra_float_digits TO 1 AS $$
DECLARE
    moving record;
    bound text;
BEGIN
    SELECT * INTO STRICT moving FROM moving_tables() t WHERE t.name = of_table;
    SELECT format('(%s) > (%s)', listed('t', moving.keys), string_agg(
            format('%L::%s', after ->> k.name, format_type(a.atttypid, a.atttypmod)), ', '
            ORDER BY k.place))
    INTO bound
    FROM unnest(moving.keys) WITH ORDINALITY AS k (name, place)
    JOIN pg_attribute a ON a.attrelid = of_table::regclass AND a.attname = k.name;
    RETURN QUERY EXECUTE format(
        'SELECT %s, t::text FROM %I t WHERE t.%I = %s AND %s ORDER BY %s LIMIT %s',
        key_of('t', moving.keys), of_table, moving.tenant, of_tenant,
        CASE WHEN after IS NULL THEN 'true' ELSE bound END, listed('t', moving.keys), rows_max);
END
$$;

-- Takes up to `rows_max` notes of what has changed, with the rows as they are now; without a line
-- where there is none any more.
CREATE FUNCTION take_moved_rows(of_tenant integer, rows_max integer)
RETURNS TABLE (relname text, key jsonb, line text) LANGUAGE plpgsql
SET timezone TO 'UTC' SET datestyle TO 'ISO, YMD' SET intervalstyle TO 'postgres'
SET bytea_output TO 'hex' SET extra_float_digits TO 1 AS $$
#variable_conflict use_column
DECLARE
    noted record;
BEGIN
    -- The rows are read after the notes: whoever wrote these has committed them.
    FOR noted IN
        WITH taken AS (
            DELETE FROM moved_row m WHERE m.tenant = of_tenant AND m.id = ANY (ARRAY(
                SELECT o.id FROM moved_row o WHERE o.tenant = of_tenant ORDER BY o.id
                LIMIT rows_max
            )) RETURNING m.relname, m.key
        )
        SELECT t.relname::text AS name, array_agg(DISTINCT t.key) AS rows, m.keys
        FROM taken t JOIN moving_tables() m ON m.name = t.relname
        GROUP BY t.relname, m.keys
    LOOP
        RETURN QUERY EXECUTE format(
            'SELECT %L::text, k.key, t.line FROM unnest($1) k (key) '
                'CROSS JOIN LATERAL jsonb_populate_record(NULL::%2$I, k.key) r '
                'LEFT JOIN LATERAL (SELECT t::text AS line FROM %2$I t WHERE (%3$s) = (%4$s)) t '
                'ON true',
            noted.name, noted.name, listed('t', noted.keys), listed('r', noted.keys))
        USING noted.rows;
    END LOOP;
END
$$;

-- A query for the texts of a tenant's rows in a table: of all, or of those whose keys `$1` has. Of
-- one that is arriving, staged rows are its rows.
CREATE FUNCTION lines_of_tenant(of_tenant integer, of_table text, by_key boolean) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    moving record;
BEGIN
    SELECT * INTO STRICT moving FROM moving_tables() t WHERE t.name = of_table;
    IF moving.is_late AND EXISTS (
        SELECT FROM tenant_move m WHERE m.tenant = of_tenant AND m.state = 'arriving'
    ) THEN
        RETURN format('SELECT s.line FROM staged_row s WHERE s.tenant = %s AND s.relname = %L',
            of_tenant, of_table) || CASE WHEN by_key THEN ' AND s.key = ANY ($1)' ELSE '' END;
    ELSIF by_key THEN
        RETURN format(
            'SELECT t::text AS line FROM unnest($1) k (key) '
                'CROSS JOIN LATERAL jsonb_populate_record(NULL::%1$I, k.key) r '
                'CROSS JOIN LATERAL (SELECT * FROM %1$I t WHERE (%2$s) = (%3$s) OFFSET 0) t',
            of_table, listed('t', moving.keys), listed('r', moving.keys));
    END IF;
    RETURN format('SELECT t::text AS line FROM %I t WHERE t.%I = %s', of_table, moving.tenant,
        of_tenant);
END
$$;

-- How many rows a tenant has of some keys in a table, or of all others, and sums of two hashes of
-- each, which rows that differ in anything do not share.
CREATE FUNCTION digest_of_tenant(
    of_tenant integer, of_table text, all_but boolean, keys jsonb[],
    OUT row_count bigint, OUT digest text
) LANGUAGE plpgsql STABLE
SET timezone TO 'UTC' SET datestyle TO 'ISO, YMD' SET intervalstyle TO 'postgres'
SET bytea_output TO 'hex' SET extra_float_digits TO 1 AS $$
DECLARE
    sums text := 'SELECT count(*) AS n, coalesce(sum(hashtextextended(t.line, 0)), 0) AS one, '
        'coalesce(sum(hashtextextended(t.line, 1)), 0) AS other FROM (%s) t';
    those text := format(sums, lines_of_tenant(of_tenant, of_table, true));
    them_all text := format(sums, lines_of_tenant(of_tenant, of_table, false));
BEGIN
    EXECUTE CASE WHEN all_but THEN format(
            'SELECT a.n - s.n, concat_ws(''-'', a.one - s.one, a.other - s.other) '
                'FROM (%s) a, (%s) s', them_all, those)
        ELSE format('SELECT s.n, concat_ws(''-'', s.one, s.other) FROM (%s) s', those)
        END
    INTO row_count, digest USING keys;
END
$$;
