-- Has rows of an arriving tenant as they are where it comes from: with a line, or without one where
-- there is none any more.
CREATE FUNCTION put_moved_rows(
    of_tenant integer, of_table text, keys jsonb[], lines text[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    moving record;
    changes text;
    reading text;
BEGIN
    PERFORM FROM tenant_move m WHERE m.tenant = of_tenant AND m.state = 'arriving' FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the tenant is not arriving here'
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    PERFORM set_config('islet.moving', 'yes', true),
        set_config('islet.words_are_noted', 'yes', true);
    SELECT * INTO STRICT moving FROM moving_tables() t WHERE t.name = of_table;
    IF moving.is_late THEN
        DELETE FROM staged_row s USING unnest(put_moved_rows.keys, lines) k (key, line)
        WHERE s.tenant = of_tenant AND s.relname = of_table AND s.key = k.key AND k.line IS NULL;
        INSERT INTO staged_row (tenant, relname, key, line)
        SELECT of_tenant, of_table, k.key, k.line
        FROM unnest(put_moved_rows.keys, lines) k (key, line) WHERE k.line IS NOT NULL
        ON CONFLICT ON CONSTRAINT staged_row_key DO UPDATE SET line = excluded.line;
        RETURN;
    END IF;
    IF array_position(lines, NULL) IS NOT NULL THEN
        EXECUTE format(
            'DELETE FROM %1$I t USING unnest($1, $2) k (key, line), '
                'jsonb_populate_record(NULL::%1$I, k.key) r WHERE (%2$s) = (%3$s) '
                'AND k.line IS NULL',
            of_table, listed('t', moving.keys), listed('r', moving.keys))
        USING put_moved_rows.keys, lines;
    END IF;
    -- Acts and policies are never changed, and no statement may try to.
    SELECT string_agg(format('%1$I = excluded.%1$I', a.attname), ', ') INTO changes
    FROM pg_attribute a
    WHERE a.attrelid = of_table::regclass AND a.attnum > 0 AND NOT a.attisdropped
        AND a.attidentity <> 'a' AND a.attname <> ALL (moving.keys)
        AND of_table NOT IN ('policy', 'audit_entry');
    reading := format(
        'INSERT INTO %1$I OVERRIDING SYSTEM VALUE SELECT (s.r).* FROM ('
            'SELECT l::%1$I AS r FROM unnest($1) l WHERE l IS NOT NULL OFFSET 0) s ', of_table);
    BEGIN
        EXECUTE reading || format('ON CONFLICT (%s) DO ', array_to_string(ARRAY(
                SELECT quote_ident(k) FROM unnest(moving.keys) k), ', '))
            || coalesce('UPDATE SET ' || changes, 'NOTHING')
            -- Of an event only erased values change, and the same ones are no change.
            || CASE WHEN of_table = 'event' THEN ' WHERE event.data <> excluded.data' ELSE '' END
        USING lines;
    EXCEPTION WHEN unique_violation THEN
        -- Something that only one row may have went from one of them to another.
        EXECUTE format(
            'DELETE FROM %1$I t USING unnest($1) k (key), '
                'jsonb_populate_record(NULL::%1$I, k.key) r WHERE (%2$s) = (%3$s)',
            of_table, listed('t', moving.keys), listed('r', moving.keys))
        USING put_moved_rows.keys;
        EXECUTE reading USING lines;
    END;
END
$$;
