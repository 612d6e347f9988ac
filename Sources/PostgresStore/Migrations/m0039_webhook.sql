-- Webhooks: servers that receive a tenant's changes. Each has a place of its own in these changes.
CREATE TABLE webhook (
    tenant integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    url text NOT NULL,
    -- Which activities it receives; empty for all.
    kinds text[] NOT NULL,
    phases text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    disabled_at timestamptz,
    disabled_by text,
    -- Place of the last change that was dealt with; see activity_notice.
    position bigint NOT NULL,
    notice bigint NOT NULL DEFAULT 0,
    -- Rounds in a row in which nothing arrived, since when, and when to try again.
    failures integer NOT NULL DEFAULT 0,
    failing_since timestamptz,
    paused_until timestamptz,
    last_failure text,
    delivered bigint NOT NULL DEFAULT 0,
    failed bigint NOT NULL DEFAULT 0,
    delivered_at timestamptz,
    -- Place among the push tokens that APNs rejected: the time of the last one that was dealt with,
    -- and its registration. A new webhook starts with those that come after it.
    rejection_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    rejection_id bigint NOT NULL DEFAULT 0,
    -- The message about rejected tokens that did not arrive: those after the place and up to this
    -- one.
    rejection_upto_at timestamptz,
    rejection_upto_id bigint,
    rejection_attempts integer,
    rejection_first_tried_at timestamptz,
    rejection_retry_at timestamptz,
    -- The node that works on it now. A node that takes over has another lease.
    lease text,
    lease_until timestamptz,
    CONSTRAINT webhook_key PRIMARY KEY (tenant, id),
    CONSTRAINT webhook_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id),
    CONSTRAINT webhook_disabled_has_reason CHECK ((disabled_at IS NULL) = (disabled_by IS NULL)),
    CONSTRAINT webhook_lease_is_whole CHECK ((lease IS NULL) = (lease_until IS NULL)),
    CONSTRAINT webhook_rejection_waits_wholly CHECK (
        num_nulls(
            rejection_upto_at, rejection_upto_id, rejection_attempts, rejection_first_tried_at,
            rejection_retry_at
        ) IN (0, 5)
    )
) WITH (fillfactor = 70);
