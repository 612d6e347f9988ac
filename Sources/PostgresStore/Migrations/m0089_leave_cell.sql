-- Ends a fenced tenant's stay here, for good: nothing is ever sent for it from here again. Its keys
-- are answered with where it went. False when the fence is over, or something was written meanwhile
-- that has not been taken along.
CREATE FUNCTION leave_cell(of_tenant integer, to_cell text, to_url text) RETURNS boolean
LANGUAGE plpgsql AS $$
DECLARE
    late record;
    gone tenant_move;
BEGIN
    PERFORM pg_advisory_xact_lock(move_lock(of_tenant));
    SELECT * INTO gone FROM tenant_move m WHERE m.tenant = of_tenant FOR UPDATE;
    IF gone.state IS DISTINCT FROM 'leaving' OR NOT gone.is_fenced
        OR gone.closed_until <= clock_timestamp() OR is_sending_for(of_tenant)
        OR EXISTS (SELECT FROM moved_row m WHERE m.tenant = of_tenant)
    THEN
        RETURN false;
    END IF;
    PERFORM set_config('islet.moving', 'yes', true);
    INSERT INTO cell AS c (name, url) VALUES (to_cell, to_url)
    ON CONFLICT ON CONSTRAINT cell_key DO UPDATE SET url = coalesce(excluded.url, c.url);
    INSERT INTO departed_tenant AS d (tenant, name, cell)
    VALUES (of_tenant, gone.name, to_cell)
    ON CONFLICT ON CONSTRAINT departed_tenant_key
        DO UPDATE SET cell = excluded.cell, left_at = clock_timestamp();
    INSERT INTO departed_key (tenant, sha256)
    SELECT k.tenant, k.sha256 FROM api_key k WHERE k.tenant = of_tenant
    ON CONFLICT ON CONSTRAINT departed_key_key DO NOTHING;
    -- A node that remembers what it acknowledged must not take the log for one that was set back.
    INSERT INTO removed_tenant (tenant) VALUES (of_tenant) ON CONFLICT DO NOTHING;
    FOR late IN
        SELECT t.name FROM moving_tables() t WHERE t.is_late
            -- Whoever still writes is refused, and not told that there is no such tenant.
            AND t.name <> 'log_head'
        ORDER BY t.depth DESC
    LOOP
        EXECUTE format('DELETE FROM %I WHERE tenant = $1', late.name) USING of_tenant;
    END LOOP;
    UPDATE tenant SET name = left(gone.name, 150) || ' (moved to ' || to_cell || ')'
    WHERE id = of_tenant;
    UPDATE tenant_move SET state = 'gone', closed_until = NULL, is_fenced = false
    WHERE tenant = of_tenant;
    PERFORM pg_notify('islet_news', 'keys ' || of_tenant),
        pg_notify('islet_news', 'apps ' || of_tenant);
    RETURN true;
END
$$;

-- A name that leads elsewhere is not given to a new tenant.
CREATE FUNCTION refuse_departed_name() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    there text := (SELECT d.cell FROM departed_tenant d WHERE d.name = NEW.name);
BEGIN
    IF there IS NOT NULL AND current_setting('islet.moving', true) IS DISTINCT FROM 'yes' THEN
        RAISE EXCEPTION 'tenant % has moved to cell %: work on that cell''s database', NEW.name,
            there USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER tenant_is_not_elsewhere BEFORE INSERT ON tenant
    FOR EACH ROW EXECUTE FUNCTION refuse_departed_name();
