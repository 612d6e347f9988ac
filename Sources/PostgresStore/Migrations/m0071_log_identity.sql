-- Which log this is, and which database it stands in. A copy of the database has the row of the
-- original and is another database: nothing is sent from it before somebody has said that it is
-- the log from now on.

-- This database and no copy of it: a dump makes another table, and mostly another database and
-- cluster. What a copy of the files is, it does not tell.
CREATE FUNCTION database_marker() RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    cluster text;
BEGIN
    BEGIN
        cluster := (SELECT system_identifier FROM pg_control_system());
    EXCEPTION WHEN insufficient_privilege THEN
        cluster := 'unknown';
    END;
    RETURN format('%s-%s-%s', cluster,
        (SELECT oid FROM pg_database WHERE datname = current_database()),
        to_regclass('log_identity')::oid);
END
$$;

-- Another one after each promotion and after each restore to a point in time. The control file
-- learns of it later.
CREATE FUNCTION database_timeline() RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN NOT pg_is_in_recovery() THEN
        ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::bigint
    END
$$;

CREATE TABLE log_identity (
    is_only boolean NOT NULL DEFAULT true,
    -- 1 at first. After a restore the Unix second of its acceptance: two restores of the same
    -- backup are two logs.
    epoch bigint NOT NULL DEFAULT 1,
    began_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    marker text NOT NULL,
    timeline bigint NOT NULL,
    -- The last sign of life of a node. It only grows, so one that has seen a later one knows that
    -- the log was set back.
    beat_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    held_since timestamptz,
    held_why text,
    CONSTRAINT log_identity_key PRIMARY KEY (is_only),
    CONSTRAINT log_identity_is_one CHECK (is_only),
    CONSTRAINT log_identity_hold_is_whole CHECK ((held_since IS NULL) = (held_why IS NULL)),
    CONSTRAINT log_identity_hold_is_known CHECK (held_why IN ('asked', 'set-back'))
) WITH (fillfactor = 20);

INSERT INTO log_identity (marker, timeline)
SELECT database_marker(), coalesce(database_timeline(), 0);

-- Up to where each log was the same before an epoch and in it.
CREATE TABLE log_epoch_kept (
    tenant integer NOT NULL,
    epoch bigint NOT NULL,
    position bigint NOT NULL,
    CONSTRAINT log_epoch_kept_key PRIMARY KEY (tenant, epoch),
    CONSTRAINT log_epoch_kept_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id)
);

INSERT INTO tenant_access (relname, access) VALUES ('log_epoch_kept', 'none');
SELECT raise_tenant_walls();

-- Why nothing may be sent from this database; null when it may.
CREATE FUNCTION log_hold() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN held_why IS NOT NULL THEN held_why
        WHEN marker <> database_marker() THEN 'copied'
        WHEN timeline IS DISTINCT FROM database_timeline() THEN 'timeline'
    END
    FROM log_identity
$$;

-- The nodes ask as well. This is for the moment in which one does not know yet that the database
-- behind its address is another one.
CREATE FUNCTION refuse_while_log_is_held() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    why text := log_hold();
BEGIN
    IF why IS NOT NULL THEN
        RAISE EXCEPTION 'nothing is sent from this log now (%)', why
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'islet restore status';
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER delivery_waits_for_acceptance
    BEFORE INSERT OR UPDATE OF last_timestamp ON delivery_state
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_while_log_is_held();
CREATE TRIGGER webhook_waits_for_acceptance BEFORE UPDATE OF lease ON webhook
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_while_log_is_held();
