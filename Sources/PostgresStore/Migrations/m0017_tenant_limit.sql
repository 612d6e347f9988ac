-- What a tenant may use of each node, where it differs from the node's own settings (NULL).
CREATE TABLE tenant_limit (
    tenant integer NOT NULL,
    requests_per_second integer,
    events_per_second integer,
    body_bytes_max integer,
    batch_events_max integer,
    CONSTRAINT tenant_limit_key PRIMARY KEY (tenant),
    CONSTRAINT tenant_limit_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id),
    CONSTRAINT tenant_limit_is_positive CHECK (
        requests_per_second > 0 AND events_per_second > 0 AND body_bytes_max > 0
        AND batch_events_max > 0
    )
);
