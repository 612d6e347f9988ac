-- The next id for which id % 64 is the cell's number, and that comes after others; without a number
-- simply the next.
CREATE FUNCTION next_id_of_cell(after bigint) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT after + 1 + coalesce((
        SELECT mod(c.number - mod(after + 1, 64) + 64, 64) FROM cell c WHERE c.is_here
    ), 0)
$$;

-- The last number that a sequence has given, or will not give any more.
CREATE FUNCTION last_of(sequence text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    last bigint;
BEGIN
    EXECUTE format('SELECT s.last_value - (NOT s.is_called)::integer FROM %s s', sequence)
    INTO last;
    RETURN last;
END
$$;

-- Has this database make ids of tenants and keys that no other cell makes. A database with tenants
-- made ids from 1 on, so it is number 1; the others begin far behind.
CREATE FUNCTION number_cell(wanted integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    made record;
    newest bigint;
BEGIN
    IF (SELECT number FROM cell WHERE is_here) IS NOT DISTINCT FROM wanted THEN
        RETURN;
    END IF;
    LOCK TABLE tenant, api_key IN SHARE ROW EXCLUSIVE MODE;
    IF wanted <> 1 AND (EXISTS (SELECT FROM tenant) OR EXISTS (SELECT FROM departed_tenant)) THEN
        RAISE EXCEPTION 'this database has tenants: its number is 1, and only an empty one can get '
            'another' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    UPDATE cell SET number = wanted WHERE is_here;
    FOR made IN SELECT * FROM (VALUES ('tenant', 1000000), ('api_key', 1000000000))
        m (name, behind)
    LOOP
        EXECUTE format('SELECT max(id) FROM %I', made.name) INTO newest;
        newest := greatest(
            newest, 0, CASE WHEN wanted > 1 THEN made.behind END,
            last_of(pg_get_serial_sequence(made.name, 'id')));
        EXECUTE format('ALTER TABLE %I ALTER COLUMN id SET INCREMENT BY 64 RESTART WITH %s',
            made.name, next_id_of_cell(newest));
    END LOOP;
END
$$;
