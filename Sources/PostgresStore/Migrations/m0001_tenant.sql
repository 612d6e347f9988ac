-- A tenant is a merchant or a feed with a log of its own. Its id comes first in nearly every other
-- key, so that rows can be walled off, and distributed, by tenant.
CREATE TABLE tenant (
    id integer GENERATED ALWAYS AS IDENTITY,
    name text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT tenant_key PRIMARY KEY (id),
    CONSTRAINT tenant_name_is_unique UNIQUE (name),
    CONSTRAINT tenant_name_has_length CHECK (octet_length(name) BETWEEN 1 AND 200)
);
