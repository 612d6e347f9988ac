-- Tenants that were removed. A node that remembers what it acknowledged for one must not take the
-- log for one that was set back.
CREATE TABLE removed_tenant (
    tenant integer NOT NULL,
    removed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT removed_tenant_key PRIMARY KEY (tenant)
);
INSERT INTO tenant_access (relname, access) VALUES ('removed_tenant', 'none');
SELECT raise_tenant_walls();
