-- Only the hash of a key is here. It is also what a key is looked up by, before its tenant is
-- known, so it is the one key that does not begin with the tenant.
CREATE TABLE api_key (
    tenant integer NOT NULL,
    sha256 bytea NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT api_key_key PRIMARY KEY (sha256),
    CONSTRAINT api_key_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id),
    CONSTRAINT api_key_hash_has_length CHECK (octet_length(sha256) = 32)
);
