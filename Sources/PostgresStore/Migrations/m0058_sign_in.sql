-- Who is signed in to the dashboard: what their browser keeps, by its hash, and the key that it
-- stands for. It is looked up before its tenant is known, as keys are.
CREATE TABLE sign_in (
    tenant integer NOT NULL,
    sha256 bytea NOT NULL,
    key_id bigint NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL,
    CONSTRAINT sign_in_key PRIMARY KEY (sha256),
    CONSTRAINT sign_in_has_key FOREIGN KEY (key_id) REFERENCES api_key (id),
    CONSTRAINT sign_in_hash_has_length CHECK (octet_length(sha256) = 32)
);

CREATE INDEX sign_in_of_key ON sign_in (key_id, created_at);

-- Nodes remember for a moment who is signed in.
CREATE TRIGGER sign_in_end_is_announced AFTER DELETE ON sign_in
    FOR EACH ROW EXECUTE FUNCTION announce_key_change();

INSERT INTO tenant_access (relname, access) VALUES ('sign_in', 'none');

SELECT raise_tenant_walls();
