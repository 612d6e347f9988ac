-- Cards on phones: each registration is a phone that wants to be kept up to date about an activity.
CREATE TABLE registration (
    tenant integer NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    activity_id text COLLATE "C" NOT NULL,
    push_token text COLLATE "C" NOT NULL,
    -- Grows whenever the phone registers again. An answer of APNs to an earlier push then says
    -- nothing about what the phone wants now.
    token_version integer NOT NULL DEFAULT 1,
    environment text NOT NULL,
    bundle_id text NOT NULL,
    -- What the app says about itself. The installation is the app's own name for its copy on the
    -- phone.
    installation text COLLATE "C",
    locale text,
    frequent boolean NOT NULL DEFAULT false,
    app_build text,
    os_major smallint,
    sent_version bigint NOT NULL DEFAULT 0,
    attempts integer NOT NULL DEFAULT 0,
    -- Owed a push from then on. The epoch means at once, whatever the clocks say.
    retry_at timestamptz,
    last_failure text,
    -- APNs has rejected the token.
    dead_at timestamptz,
    -- APNs does not know the token in the environment that the phone named, or not as its app's.
    -- Nothing more is pushed to it until the phone registers again.
    is_unfit boolean NOT NULL DEFAULT false,
    -- APNs has accepted a push to the token. Nobody who invents tokens can bring that about.
    is_proven boolean NOT NULL DEFAULT false,
    -- A push was given up: it was refused, or failed too often. It stays listed until it is dealt
    -- with.
    given_up_at timestamptz,
    -- The last that the card has reported about itself.
    reported text,
    reported_at timestamptz,
    closed_at timestamptz,
    closed_by text,
    registered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT registration_key PRIMARY KEY (tenant, id),
    CONSTRAINT registration_token_is_unique UNIQUE (tenant, activity_id, push_token),
    CONSTRAINT registration_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id),
    CONSTRAINT registration_dead_is_owed_nothing CHECK (dead_at IS NULL OR retry_at IS NULL),
    CONSTRAINT registration_unfit_is_dead CHECK (NOT is_unfit OR dead_at IS NOT NULL),
    CONSTRAINT registration_closed_has_reason CHECK ((closed_at IS NULL) = (closed_by IS NULL)),
    CONSTRAINT registration_closed_is_owed_nothing CHECK (closed_at IS NULL OR retry_at IS NULL)
);

-- The pages of a fan-out.
CREATE INDEX registration_living ON registration (tenant, activity_id, id)
    WHERE dead_at IS NULL AND closed_at IS NULL;

CREATE INDEX registration_owed ON registration (retry_at) WHERE retry_at IS NOT NULL;

CREATE INDEX registration_by_installation ON registration (tenant, activity_id, installation)
    WHERE installation IS NOT NULL;

-- No phone is served twice.
CREATE UNIQUE INDEX registration_installation_has_one_card
    ON registration (tenant, activity_id, installation)
    WHERE installation IS NOT NULL AND closed_at IS NULL;

-- Followers by app, and which apps they have, without reading each of them.
CREATE INDEX registration_of_app ON registration (tenant, activity_id, bundle_id, environment)
    WHERE dead_at IS NULL AND closed_at IS NULL;

-- Phones that wait because nothing is sent for their app at the moment: by app, and by activity.
CREATE INDEX registration_held
    ON registration (tenant, bundle_id, environment, last_failure)
    WHERE retry_at IS NOT NULL AND last_failure IN (
        'no-app', 'no-key', 'key-sealed', 'key-refused', 'clock-wrong', 'tokens-unfit'
    );
CREATE INDEX registration_held_of_activity
    ON registration (tenant, activity_id, bundle_id, environment, last_failure)
    WHERE retry_at IS NOT NULL AND last_failure IN (
        'no-app', 'no-key', 'key-sealed', 'key-refused', 'clock-wrong', 'tokens-unfit'
    );

-- Unfit tokens are tried again when the app has another key.
CREATE INDEX registration_unfit ON registration (tenant, bundle_id, environment)
    WHERE is_unfit AND closed_at IS NULL;

-- Pushes that are given up now: of a tenant, and of one activity.
CREATE INDEX registration_given_up ON registration (tenant, given_up_at, id)
    WHERE given_up_at IS NOT NULL AND retry_at IS NULL AND (dead_at IS NULL OR is_unfit)
        AND closed_at IS NULL;
CREATE INDEX registration_given_up_of_activity ON registration (tenant, activity_id, given_up_at)
    WHERE given_up_at IS NOT NULL AND retry_at IS NULL AND (dead_at IS NULL OR is_unfit)
        AND closed_at IS NULL;

-- Those alone whose token APNs rejected, however many others were given up.
CREATE INDEX registration_rejected ON registration (tenant, given_up_at, id)
    WHERE is_unfit AND given_up_at IS NOT NULL AND closed_at IS NULL;

-- Cards of an activity that stopped being served at some time: closed, or with a dead token.
CREATE INDEX registration_unserved
    ON registration (tenant, activity_id, least(closed_at, dead_at))
    WHERE closed_at IS NOT NULL OR dead_at IS NOT NULL;
