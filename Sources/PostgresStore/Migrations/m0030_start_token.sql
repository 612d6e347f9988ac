-- Push-to-start tokens. ActivityKit has one for each attributes type of an app. A copy of an app
-- has one signature, so it lives in one of Apple's environments.
CREATE TABLE start_token (
    tenant integer NOT NULL,
    device_id bigint NOT NULL,
    kind text COLLATE "C" NOT NULL,
    push_token text COLLATE "C" NOT NULL,
    environment text NOT NULL,
    -- Grows whenever the app puts the token again: an answer of APNs to an earlier push then says
    -- nothing.
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

-- Finds the device of a token after the app has forgotten its installation.
CREATE INDEX start_token_by_token ON start_token (tenant, push_token);
