-- Apps for which sending has stopped because of what APNs answers.
CREATE TABLE app_alarm (
    tenant integer NOT NULL,
    bundle_id text COLLATE "C" NOT NULL,
    environment text NOT NULL,
    hold text NOT NULL,
    -- As APNs spells it.
    reason text NOT NULL,
    since timestamptz NOT NULL,
    probe_at timestamptz NOT NULL,
    CONSTRAINT app_alarm_key PRIMARY KEY (tenant, bundle_id, environment),
    CONSTRAINT app_alarm_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id)
);
