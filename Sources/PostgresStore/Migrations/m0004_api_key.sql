-- API keys. Only the hash of a key is stored. A key is looked up by its hash before its tenant is
-- known, so this primary key does not start with the tenant.
CREATE TABLE api_key (
    tenant integer NOT NULL,
    -- Names the key in lists and commands, and gives no access.
    id bigint GENERATED ALWAYS AS IDENTITY,
    sha256 bytea NOT NULL,
    scopes text[] NOT NULL,
    label text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz,
    -- Coarse: updated about once an hour while the key is in use.
    last_used_at timestamptz,
    revoked_at timestamptz,
    CONSTRAINT api_key_key PRIMARY KEY (sha256),
    CONSTRAINT api_key_id_is_unique UNIQUE (id),
    CONSTRAINT api_key_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id),
    CONSTRAINT api_key_hash_has_length CHECK (octet_length(sha256) = 32),
    CONSTRAINT api_key_label_has_length CHECK (octet_length(label) BETWEEN 1 AND 200)
);

-- A ticket is valid as long as the key that made it is.
CREATE INDEX api_key_living ON api_key (tenant, id) WHERE revoked_at IS NULL;
