-- ActivityKit has one push-to-start token for each attributes type of an app. A copy of an app has
-- one signature, so it lives in one of Apple's environments.
CREATE TABLE start_token (
    tenant integer NOT NULL,
    device_id bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    push_token text COLLATE "C" NOT NULL,
    environment text NOT NULL,
    -- Grows whenever the app puts it again: an answer of APNs to an earlier push says nothing then.
    token_version integer NOT NULL DEFAULT 1,
    locale text,
    frequent boolean NOT NULL DEFAULT false,
    app_build text,
    os_major smallint,
    put_at timestamptz NOT NULL,
    -- Since when the token is this one.
    changed_at timestamptz NOT NULL,
    dead_at timestamptz,
    last_failure text,
    CONSTRAINT start_token_key PRIMARY KEY (tenant, device_id, kind),
    CONSTRAINT start_token_has_device FOREIGN KEY (tenant, device_id)
        REFERENCES start_device (tenant, id)
);

-- Whose token it was before an app forgot its installation.
CREATE INDEX start_token_by_token ON start_token (tenant, push_token);
