-- Begins to take a tenant in, or goes on with the move that has begun.
CREATE FUNCTION begin_arrival(
    of_tenant integer, its_name text, created timestamptz, of_move text, from_cell text
) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('islet.moving', 'yes', true);
    INSERT INTO tenant_move (tenant, name, move, state, cell)
    VALUES (of_tenant, its_name, of_move, 'arriving', from_cell);
    INSERT INTO tenant (id, name, created_at) OVERRIDING SYSTEM VALUE
    VALUES (of_tenant, left(its_name, 150) || ' (arriving)', created);
END
$$;

-- Lets ids that are made from now on come after those that came with a tenant. The sequence is
-- locked while it is looked at, so that it never goes back.
CREATE FUNCTION advance_ids(of_tenant integer) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    made record;
    newest bigint;
BEGIN
    FOR made IN
        SELECT t.name, t.tenant, a.attname,
            pg_get_serial_sequence(quote_ident(t.name), a.attname) AS sequence
        FROM moving_tables() t
        JOIN pg_attribute a ON a.attrelid = t.name::regclass AND a.attidentity <> ''
    LOOP
        EXECUTE format('SELECT max(t.%I) FROM %I t WHERE t.%I = $1', made.attname, made.name,
            made.tenant) INTO newest USING of_tenant;
        CONTINUE WHEN newest IS NULL OR newest <= last_of(made.sequence);
        EXECUTE format('ALTER SEQUENCE %s CACHE 1', made.sequence);
        IF last_of(made.sequence) < newest THEN
            EXECUTE format('ALTER SEQUENCE %s RESTART WITH %s', made.sequence,
                CASE made.name WHEN 'api_key' THEN next_id_of_cell(newest) ELSE newest + 1 END);
        END IF;
    END LOOP;
END
$$;

-- Opens a tenant of which everything has arrived, after it has left the other cell, whose log is in
-- `its_epoch`. From now on nodes work for it here.
CREATE FUNCTION open_tenant(of_tenant integer, its_epoch bigint) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    here tenant_move;
    late record;
    own_epoch bigint;
BEGIN
    SELECT * INTO here FROM tenant_move m WHERE m.tenant = of_tenant FOR UPDATE;
    IF here.state IS DISTINCT FROM 'arriving' THEN
        RAISE EXCEPTION 'the tenant is not arriving here'
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    PERFORM set_config('islet.moving', 'yes', true);
    DELETE FROM removed_tenant WHERE tenant = of_tenant;
    DELETE FROM departed_tenant WHERE tenant = of_tenant;
    FOR late IN SELECT t.name FROM moving_tables() t WHERE t.is_late ORDER BY t.depth LOOP
        EXECUTE format(
            'INSERT INTO %1$I OVERRIDING SYSTEM VALUE SELECT (s.r).* FROM ('
                'SELECT l.line::%1$I AS r FROM staged_row l '
                'WHERE l.tenant = $1 AND l.relname = %1$L OFFSET 0) s', late.name)
        USING of_tenant;
    END LOOP;
    DELETE FROM staged_row WHERE tenant = of_tenant;
    PERFORM advance_ids(of_tenant);
    UPDATE tenant SET name = here.name WHERE id = of_tenant;

    -- Places are written with the epoch of the database. One that is later here begins, for this
    -- tenant, where its log is now. If the tenant's own is later, it begins here for all.
    SELECT epoch INTO own_epoch FROM log_identity FOR UPDATE;
    IF its_epoch < own_epoch THEN
        INSERT INTO log_epoch_kept (tenant, epoch, position)
        SELECT tenant, own_epoch, position FROM log_head WHERE tenant = of_tenant
        ON CONFLICT ON CONSTRAINT log_epoch_kept_key DO UPDATE SET position = excluded.position;
    ELSIF its_epoch > own_epoch THEN
        INSERT INTO log_epoch_kept (tenant, epoch, position)
        SELECT tenant, its_epoch, position FROM log_head WHERE tenant <> of_tenant
        ON CONFLICT ON CONSTRAINT log_epoch_kept_key DO NOTHING;
        UPDATE log_identity SET epoch = its_epoch, began_at = clock_timestamp();
    END IF;

    -- Nodes that knew it before do not go on with what they remember.
    UPDATE log_head SET tag = (random() * 9007199254740991)::bigint WHERE tenant = of_tenant;
    UPDATE projection_checkpoint
    SET moved_at = greatest(moved_at + interval '1 microsecond', clock_timestamp())
    WHERE tenant = of_tenant;
    DELETE FROM tenant_move WHERE tenant = of_tenant;
    INSERT INTO audit_entry (tenant, actor, act, subject, after)
    VALUES (of_tenant, acting(), 'tenant.moved', here.name, jsonb_build_object('from', here.cell));
    PERFORM pg_notify('islet_news', 'keys ' || of_tenant),
        pg_notify('islet_news', 'apps ' || of_tenant),
        pg_notify('islet_news', 'appended ' || of_tenant),
        pg_notify('islet_news', 'phones ' || of_tenant);
END
$$;
