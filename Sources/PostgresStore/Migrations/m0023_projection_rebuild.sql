-- A generation of snapshots that is being folded beside the live one. The node that holds the
-- tenant's advisory lock works on it; see Rebuilding.
CREATE TABLE projection_rebuild (
    tenant integer NOT NULL,
    generation integer NOT NULL,
    position bigint NOT NULL DEFAULT 0,
    -- By kind, the folds that it is made with. A newer program starts an older one's rebuild again,
    -- and an older program leaves a newer one's alone: two folds never meet in one generation.
    fold_versions jsonb NOT NULL DEFAULT '{}',
    is_paused boolean NOT NULL DEFAULT false,
    reason text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    moved_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT projection_rebuild_key PRIMARY KEY (tenant),
    CONSTRAINT projection_rebuild_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id)
);
