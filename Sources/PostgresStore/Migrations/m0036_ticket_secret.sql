-- What a tenant's tickets are signed with. The newest signs; until it is retired, one more is valid.
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
