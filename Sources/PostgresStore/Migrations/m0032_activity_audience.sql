-- On whose phones an activity's card is to appear by itself: those that follow one of its topics.
CREATE TABLE activity_audience (
    tenant integer NOT NULL,
    activity_id text COLLATE "C" NOT NULL,
    topics text[] COLLATE "C" NOT NULL,
    not_before timestamptz,
    -- Grows with every change: what was found out for an earlier version is void.
    put_version integer NOT NULL DEFAULT 1,
    put_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- From then on phones are to be looked through; NULL when all of them were. The epoch means at
    -- once, whatever the clocks say.
    due_at timestamptz,
    -- Phones up to this one were looked at.
    cursor bigint NOT NULL DEFAULT 0,
    -- The activity has ended.
    closed_at timestamptz,
    CONSTRAINT activity_audience_key PRIMARY KEY (tenant, activity_id),
    CONSTRAINT activity_audience_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id)
);

CREATE INDEX activity_audience_due ON activity_audience (due_at) WHERE due_at IS NOT NULL;
