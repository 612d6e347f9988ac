-- Events that could not be folded; everything else went on without them.
CREATE TABLE parked_event (
    tenant integer NOT NULL,
    position bigint NOT NULL,
    activity_id text COLLATE "C" NOT NULL,
    reason text NOT NULL,
    parked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT parked_event_key PRIMARY KEY (tenant, position)
);
