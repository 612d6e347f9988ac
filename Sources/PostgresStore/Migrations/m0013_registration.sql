-- Phones that want to be kept up to date about an activity.
CREATE TABLE registration (
    tenant integer NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    activity_id text COLLATE "C" NOT NULL,
    push_token text COLLATE "C" NOT NULL,
    environment text NOT NULL,
    bundle_id text NOT NULL,
    sent_version bigint NOT NULL DEFAULT 0,
    attempts integer NOT NULL DEFAULT 0,
    -- Owed a push from then on; the epoch means at once, whatever anybody's clock says.
    retry_at timestamptz,
    last_failure text,
    dead_at timestamptz,
    registered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT registration_key PRIMARY KEY (tenant, id),
    CONSTRAINT registration_token_is_unique UNIQUE (tenant, activity_id, push_token),
    CONSTRAINT registration_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id),
    CONSTRAINT registration_dead_is_owed_nothing CHECK (dead_at IS NULL OR retry_at IS NULL)
);

-- The pages of a fan-out.
CREATE INDEX registration_living ON registration (tenant, activity_id, id)
    WHERE dead_at IS NULL;

CREATE INDEX registration_owed ON registration (retry_at) WHERE retry_at IS NOT NULL;
