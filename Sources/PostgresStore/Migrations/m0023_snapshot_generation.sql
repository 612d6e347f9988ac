-- Snapshots of a tenant stand in generations: one is live, another may be built beside it from the
-- whole log and take its place at one stroke. fold_version says which fold wrote a snapshot.
ALTER TABLE projection_checkpoint ADD COLUMN generation integer NOT NULL DEFAULT 1;
ALTER TABLE snapshot
    ADD COLUMN generation integer NOT NULL DEFAULT 1,
    ADD COLUMN fold_version integer NOT NULL DEFAULT 1;
ALTER TABLE snapshot
    DROP CONSTRAINT snapshot_key,
    ADD CONSTRAINT snapshot_key PRIMARY KEY (tenant, generation, activity_id);
DROP INDEX snapshot_by_position;
-- The generation last: an index that begins like the key would look as good to a planner who knows
-- nothing of a new generation yet, and be a disaster.
CREATE INDEX snapshot_by_position ON snapshot (tenant, position, generation);

-- The generation that everybody reads.
CREATE FUNCTION live_generation(of_tenant integer) RETURNS integer LANGUAGE sql STABLE AS $$
    SELECT generation FROM projection_checkpoint WHERE tenant = of_tenant
$$;
