-- The log: every event of every tenant, in order. It is append-only.
--
-- There are no foreign keys. append_events() holds the tenant's head row, which protects as well,
-- and a check for each event would cost as much as the insert. Names sort by their bytes (COLLATE
-- "C"), so the order is the same whatever the locale of the database is.
CREATE TABLE event (
    tenant integer NOT NULL,
    position bigint NOT NULL,
    activity_id text COLLATE "C" NOT NULL,
    version bigint NOT NULL,
    event_id text COLLATE "C" NOT NULL,
    source text COLLATE "C" NOT NULL,
    type text NOT NULL,
    schema_version integer NOT NULL,
    occurred_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL,
    data jsonb NOT NULL,
    -- CloudEvents attributes without a column of their own, as one object; NULL when there are
    -- none. They say who passed the event on (`traceparent`), not what happened. An event that
    -- comes again with other extensions is the same event.
    extensions jsonb,
    CONSTRAINT event_key PRIMARY KEY (tenant, position),
    CONSTRAINT event_version_is_unique UNIQUE (tenant, activity_id, version),
    CONSTRAINT event_id_is_unique UNIQUE (tenant, source, event_id)
);

-- History is never rewritten, not even by accident in psql. ALWAYS: also under replication roles.
CREATE FUNCTION refuse_to_change_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'events are never changed or removed (% on %)', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER event_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON event
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_history();

ALTER TABLE event ENABLE ALWAYS TRIGGER event_is_append_only;
