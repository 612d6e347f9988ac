-- The tables with tenants' rows that move with a tenant, those that others refer to first. Every
-- table with a tenant is one, but for what moves themselves are made of.
--
-- Late ones are those by which nodes know that there is something to do for a tenant: without a
-- checkpoint nothing is folded, claimed, started or reported by the clock; without its webhooks,
-- channels and pending decisions nothing is sent; without keys nobody asks. Their rows arrive in
-- staged_row and are put in their tables when the tenant is opened, in one transaction.
CREATE FUNCTION moving_tables() RETURNS TABLE (
    name text, tenant text, keys text[], is_late boolean, depth integer
) LANGUAGE sql STABLE AS $$
    WITH RECURSIVE walled AS (
        SELECT c.oid, c.relname
        FROM pg_class c
        JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant' AND NOT a.attisdropped
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
            AND NOT c.relispartition AND c.relname NOT IN (
                'removed_tenant', 'tenant_move', 'moved_row', 'staged_row', 'departed_tenant',
                'departed_key'
            )
    ), placed (oid, depth) AS (
        SELECT w.oid, 0 FROM walled w
        UNION
        SELECT r.conrelid, p.depth + 1 FROM placed p
        JOIN pg_constraint r ON r.contype = 'f' AND r.confrelid = p.oid AND r.conrelid <> p.oid
        WHERE p.depth < 20
    )
    SELECT w.relname::text, 'tenant', ARRAY(
            SELECT a.attname::text FROM pg_index i
            CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k (number, place)
            JOIN pg_attribute a ON a.attrelid = w.oid AND a.attnum = k.number
            WHERE i.indrelid = w.oid AND i.indisprimary ORDER BY k.place
        ), w.relname IN (
            'log_head', 'projection_checkpoint', 'projection_rebuild', 'pending_decision',
            'webhook', 'webhook_secret', 'webhook_message', 'channel', 'api_key', 'sign_in',
            'ticket_secret', 'app_key', 'app_alarm'
        ),
        -- A value is only erased from an event of an activity that is known to be erased.
        CASE w.relname WHEN 'subject_key' THEN -1
            ELSE (SELECT max(p.depth) FROM placed p WHERE p.oid = w.oid) END
    FROM walled w
$$;

-- Columns in their order: databases whose answers differ do not move tenants to each other.
CREATE FUNCTION moving_columns() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT string_agg(
        format('%s.%s %s', t.name, a.attname, format_type(a.atttypid, a.atttypmod)), E'\n'
        ORDER BY t.name, a.attnum)
    FROM moving_tables() t
    JOIN pg_attribute a ON a.attrelid = t.name::regclass AND a.attnum > 0 AND NOT a.attisdropped
$$;

-- A table's columns of `names` under an alias, as a list.
CREATE FUNCTION listed(alias text, names text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT string_agg(format('%s.%I', alias, n.name), ', ' ORDER BY n.place)
    FROM unnest(names) WITH ORDINALITY AS n (name, place)
$$;

-- The key of a row under an alias, as an object.
CREATE FUNCTION key_of(alias text, names text[]) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT 'jsonb_build_object('
        || string_agg(format('%L, %s.%I', n.name, alias, n.name), ', ') || ')'
    FROM unnest(names) n (name)
$$;
