-- Begins to note what changes of a tenant in one table. A second time changes nothing.
CREATE FUNCTION watch_table(of_tenant integer, of_table text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    moving record;
    arguments text;
    event record;
BEGIN
    SELECT * INTO STRICT moving FROM moving_tables() t WHERE t.name = of_table;
    SELECT string_agg(quote_literal(a), ', ' ORDER BY place) INTO arguments
    FROM unnest(moving.tenant || moving.keys) WITH ORDINALITY AS k (a, place);
    FOR event IN SELECT * FROM (VALUES
        ('insert', 'NEW'), ('update', 'NEW'), ('delete', 'OLD')
    ) e (name, alias)
    LOOP
        EXECUTE format(
            'CREATE OR REPLACE TRIGGER %I AFTER %s ON %I FOR EACH ROW WHEN (%s.%I = %s) '
                'EXECUTE FUNCTION note_move(%s)',
            format('move_%s_%s', of_tenant, event.name), event.name, of_table, event.alias,
            moving.tenant, of_tenant, arguments);
    END LOOP;
    IF of_table IN ('series_minute', 'tenant_usage') THEN
        EXECUTE format(
            'CREATE OR REPLACE TRIGGER %I BEFORE INSERT OR UPDATE ON %I FOR EACH ROW '
                'WHEN (NEW.tenant = %s) EXECUTE FUNCTION skip_while_fenced()',
            format('move_%s_skip', of_tenant), of_table, of_tenant);
    END IF;
END
$$;

CREATE FUNCTION unwatch_table(of_tenant integer, of_table text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    watching record;
BEGIN
    FOR watching IN
        SELECT g.tgname FROM pg_trigger g
        WHERE g.tgrelid = of_table::regclass AND g.tgname LIKE format('move\_%s\_%%', of_tenant)
    LOOP
        EXECUTE format('DROP TRIGGER %I ON %I', watching.tgname, of_table);
    END LOOP;
END
$$;

-- How many of the tables are not watched for a tenant.
CREATE FUNCTION unwatched_tables(of_tenant integer) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT count(*) FROM moving_tables() t
    WHERE 3 > (
        SELECT count(*) FROM pg_trigger g
        WHERE g.tgrelid = t.name::regclass AND g.tgenabled <> 'D'
            AND g.tgname LIKE format('move\_%s\_%%', of_tenant) AND g.tgname NOT LIKE '%skip'
    )
$$;
