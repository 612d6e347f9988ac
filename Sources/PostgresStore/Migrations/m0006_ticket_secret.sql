-- The secrets that sign a tenant's tickets. The newest one signs. The one before it stays valid
-- until it is retired.
CREATE TABLE ticket_secret (
    tenant integer NOT NULL,
    id integer NOT NULL,
    secret bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    retired_at timestamptz,
    CONSTRAINT ticket_secret_key PRIMARY KEY (tenant, id),
    CONSTRAINT ticket_secret_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id),
    CONSTRAINT ticket_secret_has_length CHECK (octet_length(secret) = 32)
);
