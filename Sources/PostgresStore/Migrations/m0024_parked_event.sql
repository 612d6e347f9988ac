-- Events that could not be folded. Everything else goes on without them. They are parked per
-- generation of snapshots, because another fold may accept them.
CREATE TABLE parked_event (
    tenant integer NOT NULL,
    generation integer NOT NULL DEFAULT 1,
    position bigint NOT NULL,
    activity_id text COLLATE "C" NOT NULL,
    reason text NOT NULL,
    -- An operator has decided to leave the event out for good.
    is_skipped boolean NOT NULL DEFAULT false,
    parked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT parked_event_key PRIMARY KEY (tenant, generation, position)
);

CREATE INDEX parked_event_by_activity ON parked_event (tenant, generation, activity_id);

-- What an activity leaves out when it is folded again, without what is only parked.
CREATE INDEX parked_event_skipped ON parked_event (tenant, generation, activity_id, position)
    WHERE is_skipped;
