-- What a tenant's own requests may do with the rows of a table beside reading them. A table that is
-- not listed here may be read. A migration that adds a table lists it if it is different, and then
-- calls raise_tenant_walls().
CREATE TABLE tenant_access (
    relname name CONSTRAINT tenant_access_key PRIMARY KEY,
    access text NOT NULL,
    CONSTRAINT tenant_access_is_known CHECK (access IN ('none', 'write'))
);

-- A tenant's request has no business with keys and secrets, sealed or not, or with other tenants'
-- names.
INSERT INTO tenant_access (relname, access) VALUES
    ('tenant', 'none'),
    ('tenant_limit', 'none'),
    ('api_key', 'none'),
    ('ticket_secret', 'none'),
    ('app_key', 'none'),
    ('webhook_secret', 'none'),
    ('log_epoch_kept', 'none'),
    ('registration', 'write'),
    ('channel_listener', 'write');
