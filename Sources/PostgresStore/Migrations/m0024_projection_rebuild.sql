-- What is being folded beside the live generation. Whoever holds the tenant's advisory lock works
-- on it; see Rebuilding.
CREATE TABLE projection_rebuild (
    tenant integer NOT NULL,
    generation integer NOT NULL,
    position bigint NOT NULL DEFAULT 0,
    is_paused boolean NOT NULL DEFAULT false,
    reason text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    moved_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT projection_rebuild_key PRIMARY KEY (tenant),
    CONSTRAINT projection_rebuild_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id)
);

-- Events are parked by a generation: another fold may take them. A skipped one stays out.
ALTER TABLE parked_event
    ADD COLUMN generation integer NOT NULL DEFAULT 1,
    ADD COLUMN is_skipped boolean NOT NULL DEFAULT false,
    DROP CONSTRAINT parked_event_key,
    ADD CONSTRAINT parked_event_key PRIMARY KEY (tenant, generation, position);
CREATE INDEX parked_event_by_activity ON parked_event (tenant, generation, activity_id);

-- When the clock brings about the activity's next event. What was stored before there were due times
-- gets the epoch, without rewriting the table: the clock looks at it at once and writes down when it
-- really is due. So does whoever stores a snapshot and does not say.
ALTER TABLE snapshot ADD COLUMN due_at timestamptz DEFAULT 'epoch';
CREATE INDEX snapshot_due ON snapshot (due_at) WHERE due_at IS NOT NULL;

SELECT raise_tenant_walls();
