-- Servers that are told of a tenant's changes, each by a cursor of its own in the tenant's changes.
CREATE TABLE webhook (
    tenant integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    url text NOT NULL,
    -- Of activities that it is told of; empty for all.
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
    -- The node that works on it now. Whoever comes after it has another lease.
    lease text,
    lease_until timestamptz,
    CONSTRAINT webhook_key PRIMARY KEY (tenant, id),
    CONSTRAINT webhook_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id),
    CONSTRAINT webhook_disabled_has_reason CHECK ((disabled_at IS NULL) = (disabled_by IS NULL)),
    CONSTRAINT webhook_lease_is_whole CHECK ((lease IS NULL) = (lease_until IS NULL))
) WITH (fillfactor = 70);

SELECT raise_tenant_walls();
