-- The log. No foreign keys: append_events() holds the tenant's head row, which is as good, and a
-- check per event would cost as much as the insert.
-- Names sort by their bytes everywhere, whatever the locale of the database, and fast.
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
    CONSTRAINT event_key PRIMARY KEY (tenant, position),
    CONSTRAINT event_version_is_unique UNIQUE (tenant, activity_id, version),
    CONSTRAINT event_id_is_unique UNIQUE (tenant, source, event_id)
);
