-- Copies of an app on phones on which cards may be started while the app is not running.
CREATE TABLE start_device (
    tenant integer NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    -- The app's own name for its copy on the phone.
    installation text COLLATE "C" NOT NULL,
    bundle_id text COLLATE "C" NOT NULL,
    -- How many starts the phone still allows; NULL before the first.
    budget json,
    -- Grows with each start, so that two nodes never spend the same one.
    budget_version bigint NOT NULL DEFAULT 0,
    CONSTRAINT start_device_key PRIMARY KEY (tenant, id),
    CONSTRAINT start_device_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id),
    CONSTRAINT start_device_installation_is_unique UNIQUE (tenant, installation, bundle_id)
) WITH (fillfactor = 80);
