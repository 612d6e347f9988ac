-- As before. But what works as the owner of the tables must find nothing of its callers'. Postgres
-- looks into a session's temporary tables first, unless the path names them last. Anyone who may
-- execute a trigger function may put it on a table of their own, whose types may have casts that
-- then run as the owner. So these two refuse other tables before they look at a row.
CREATE OR REPLACE FUNCTION note_move() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT SET timezone TO 'UTC' SET bytea_output TO 'hex' AS $$
DECLARE
    was jsonb;
    is_now jsonb;
    of_tenant integer;
    under_way tenant_move;
BEGIN
    IF TG_TABLE_SCHEMA <> current_schema() THEN
        RAISE EXCEPTION 'note_move() is for the tables of its own schema'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF current_setting('islet.moving', true) = 'yes' THEN
        RETURN NULL;
    END IF;
    IF TG_OP <> 'INSERT' THEN was := to_jsonb(OLD); END IF;
    IF TG_OP <> 'DELETE' THEN is_now := to_jsonb(NEW); END IF;
    of_tenant := (coalesce(is_now, was) ->> TG_ARGV[0])::integer;
    -- What began before the fence must not write behind it.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'the tenant is moving to another cell: try again afterwards'
            USING ERRCODE = 'IS503';
    END IF;
    PERFORM pg_advisory_xact_lock_shared(move_lock(of_tenant));
    SELECT * INTO under_way FROM tenant_move m WHERE m.tenant = of_tenant;
    IF NOT FOUND OR under_way.state = 'arriving' THEN
        RETURN NULL;
    END IF;
    IF under_way.state = 'gone' OR under_way.closed_until > clock_timestamp() AND (
        under_way.is_fenced
        OR TG_TABLE_NAME = 'delivery_state'
            AND is_now -> 'last_timestamp' IS DISTINCT FROM was -> 'last_timestamp'
        OR TG_TABLE_NAME = 'webhook' AND is_now ->> 'lease' <> coalesce(was ->> 'lease', '')
    ) THEN
        RAISE EXCEPTION 'the tenant is moving to another cell: try again in a moment'
            USING ERRCODE = 'IS503';
    END IF;
    INSERT INTO moved_row (tenant, relname, key)
    SELECT DISTINCT of_tenant, TG_TABLE_NAME, k.key
    FROM unnest(ARRAY[was, is_now]) v (line), LATERAL (
        SELECT jsonb_object_agg(c, v.line -> c) AS key FROM unnest(TG_ARGV[1:]) c
    ) k
    WHERE v.line IS NOT NULL;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION skip_while_fenced() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    IF TG_TABLE_SCHEMA <> current_schema() THEN
        RAISE EXCEPTION 'skip_while_fenced() is for the tables of its own schema'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF current_setting('islet.moving', true) = 'yes' THEN
        RETURN NEW;
    END IF;
    PERFORM pg_advisory_xact_lock_shared(move_lock(NEW.tenant));
    IF EXISTS (
        SELECT FROM tenant_move m WHERE m.tenant = NEW.tenant
            AND (m.state = 'gone' OR m.is_fenced AND m.closed_until > clock_timestamp())
    ) THEN
        RETURN NULL;
    END IF;
    RETURN NEW;
END
$$;

DO $$
DECLARE
    definer record;
BEGIN
    FOR definer IN
        SELECT p.oid::regprocedure AS routine, p.pronamespace::regnamespace AS home
        FROM pg_proc p
        WHERE p.oid IN ('note_move()'::regprocedure, 'skip_while_fenced()'::regprocedure)
    LOOP
        EXECUTE format('ALTER FUNCTION %s SET search_path = %s, pg_temp',
            definer.routine, definer.home);
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', definer.routine);
    END LOOP;
END
$$;
