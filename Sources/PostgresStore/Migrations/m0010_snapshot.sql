-- Activities as folded so far. json, not jsonb: equal states must stay equal bytes.
CREATE TABLE snapshot (
    tenant integer NOT NULL,
    activity_id text COLLATE "C" NOT NULL,
    kind text NOT NULL,
    version bigint NOT NULL,
    position bigint NOT NULL,
    phase text NOT NULL,
    state json NOT NULL,
    attributes json NOT NULL,
    content_state json NOT NULL,
    dispatch json NOT NULL,
    fault text,
    updated_at timestamptz NOT NULL,
    CONSTRAINT snapshot_key PRIMARY KEY (tenant, activity_id)
);

-- What changed since a position, for pages that follow along.
CREATE INDEX snapshot_by_position ON snapshot (tenant, position);
