-- How far each tenant's log is folded. Locking the row is the lease to fold further.
CREATE TABLE projection_checkpoint (
    tenant integer NOT NULL,
    -- The generation of snapshots that everybody reads; see snapshot.
    generation integer NOT NULL DEFAULT 1,
    position bigint NOT NULL DEFAULT 0,
    moved_at timestamptz NOT NULL DEFAULT 'epoch',
    CONSTRAINT projection_checkpoint_key PRIMARY KEY (tenant),
    CONSTRAINT projection_checkpoint_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id)
) WITH (fillfactor = 50);
