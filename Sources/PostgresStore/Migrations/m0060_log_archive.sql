-- How far each tenant's log is archived: every event up to `through` is in the checked files of an
-- export. What follows from it may be dropped activity by activity; see drop_archived().
CREATE TABLE log_archive (
    tenant integer NOT NULL,
    -- The export begins after this position, where the one before it ends.
    after bigint NOT NULL,
    through bigint NOT NULL,
    -- Where the files are, for people, and the last value of their chain.
    place text NOT NULL,
    chain text NOT NULL,
    archived_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT log_archive_key PRIMARY KEY (tenant, through),
    CONSTRAINT log_archive_follows UNIQUE (tenant, after),
    CONSTRAINT log_archive_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id),
    CONSTRAINT log_archive_has_events CHECK (through > after AND after >= 0)
);
INSERT INTO tenant_access (relname, access) VALUES ('log_archive', 'none');
SELECT raise_tenant_walls();
