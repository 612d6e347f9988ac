-- How much of a node one tenant may use, and how much it may store. A column that is NULL leaves
-- the node's own setting in force.
CREATE TABLE tenant_limit (
    tenant integer NOT NULL,
    requests_per_second integer,
    events_per_second integer,
    bytes_per_second bigint,
    body_bytes_max integer,
    batch_events_max integer,
    stored_events_max bigint,
    stored_bytes_max bigint,
    CONSTRAINT tenant_limit_key PRIMARY KEY (tenant),
    CONSTRAINT tenant_limit_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id),
    CONSTRAINT tenant_limit_is_positive CHECK (
        requests_per_second > 0 AND events_per_second > 0 AND bytes_per_second > 0
        AND body_bytes_max > 0 AND batch_events_max > 0 AND stored_events_max > 0
        AND stored_bytes_max > 0
    )
);
