-- How many bytes a tenant's log takes up, as of a position. The bytes are estimated from a sample
-- of the events that came since the last measurement, so appending does not pay for the count.
CREATE TABLE tenant_usage (
    tenant integer NOT NULL,
    position bigint NOT NULL,
    bytes bigint NOT NULL,
    measured_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT tenant_usage_key PRIMARY KEY (tenant),
    CONSTRAINT tenant_usage_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id)
);
