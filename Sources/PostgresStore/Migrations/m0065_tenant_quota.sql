-- What a tenant may send in bytes, and what it may keep. NULL: as the node's own settings have it.
ALTER TABLE tenant_limit
    ADD COLUMN bytes_per_second bigint,
    ADD COLUMN stored_events_max bigint,
    ADD COLUMN stored_bytes_max bigint,
    ADD CONSTRAINT tenant_limit_new_is_positive CHECK (
        bytes_per_second > 0 AND stored_events_max > 0 AND stored_bytes_max > 0
    );

-- What a tenant's log takes up, as of a position. Bytes are counted from a sample of the events that
-- came since the last look, so that appending has nothing to do with it.
CREATE TABLE tenant_usage (
    tenant integer NOT NULL,
    position bigint NOT NULL,
    bytes bigint NOT NULL,
    measured_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT tenant_usage_key PRIMARY KEY (tenant),
    CONSTRAINT tenant_usage_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id)
);

SELECT raise_tenant_walls();
