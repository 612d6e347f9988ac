-- What a key's owner wants to know of it, and when it ends. The id names a key without being one.
ALTER TABLE api_key
    ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY,
    ADD COLUMN label text,
    ADD COLUMN expires_at timestamptz,
    -- Coarse: moved about once an hour while the key is in use.
    ADD COLUMN last_used_at timestamptz,
    ADD COLUMN revoked_at timestamptz,
    ADD CONSTRAINT api_key_id_is_unique UNIQUE (id),
    ADD CONSTRAINT api_key_label_has_length CHECK (octet_length(label) BETWEEN 1 AND 200);
