-- Copies of an app that asked for an activity's channel and got its name. They have no push token,
-- and only they know whether they listen.
CREATE TABLE channel_listener (
    tenant integer NOT NULL,
    activity_id text COLLATE "C" NOT NULL,
    -- The app's own name for its copy on the phone.
    installation text COLLATE "C" NOT NULL,
    bundle_id text COLLATE "C" NOT NULL,
    -- NULL when the card was started remotely and the token that started it is gone.
    environment text,
    asked_at timestamptz NOT NULL,
    closed_at timestamptz,
    closed_by text,
    CONSTRAINT channel_listener_key PRIMARY KEY (tenant, activity_id, installation, bundle_id),
    CONSTRAINT channel_listener_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id),
    CONSTRAINT channel_listener_closed_has_reason CHECK ((closed_at IS NULL) = (closed_by IS NULL))
);
