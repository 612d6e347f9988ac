-- Copies of an app that were told to listen to an activity's channel, as they asked. They have no
-- push token, and only they themselves know whether they do.
CREATE TABLE channel_listener (
    tenant integer NOT NULL,
    activity_id text COLLATE "C" NOT NULL,
    -- The app's own name for its copy on the phone.
    installation text COLLATE "C" NOT NULL,
    bundle_id text COLLATE "C" NOT NULL,
    -- Null when the card was started remotely and the token that started it is gone.
    environment text,
    asked_at timestamptz NOT NULL,
    closed_at timestamptz,
    closed_by text,
    CONSTRAINT channel_listener_key PRIMARY KEY (tenant, activity_id, installation, bundle_id),
    CONSTRAINT channel_listener_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id),
    CONSTRAINT channel_listener_closed_has_reason CHECK ((closed_at IS NULL) = (closed_by IS NULL))
);

-- Followers by app, and which apps they have, without looking at each of them.
CREATE INDEX registration_of_app ON registration (tenant, activity_id, bundle_id, environment)
    WHERE dead_at IS NULL AND closed_at IS NULL;

-- As before, and a phone that asks may be noted for its tenant.
CREATE OR REPLACE FUNCTION raise_tenant_walls() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    has_role boolean := can_enter_tenant_role();
    walled record;
BEGIN
    IF NOT has_role AND (
        SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user
    ) THEN
        RAISE EXCEPTION 'row-level security does not hold for this database user, who may not make '
            'a role for which it does: have an administrator run CREATE ROLE islet_tenant NOLOGIN; '
            'GRANT islet_tenant TO %', quote_ident(current_user)
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    EXECUTE format(
        'CREATE OR REPLACE FUNCTION tenant_role() RETURNS text LANGUAGE sql STABLE AS %L',
        CASE WHEN has_role THEN 'SELECT ''islet_tenant''::text'
            ELSE 'SELECT current_setting(''role'')' END);
    IF has_role THEN
        EXECUTE format('GRANT USAGE ON SCHEMA %I TO islet_tenant', current_schema());
    END IF;
    FOR walled IN
        SELECT c.oid::regclass AS name, a.attname AS tenant, c.relname
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
            AND NOT c.relispartition AND NOT a.attisdropped
            AND a.attname = CASE c.relname WHEN 'tenant' THEN 'id' ELSE 'tenant' END
    LOOP
        EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', walled.name);
        EXECUTE format('ALTER TABLE %s %s ROW LEVEL SECURITY', walled.name,
            CASE WHEN has_role THEN 'NO FORCE' ELSE 'FORCE' END);
        EXECUTE format('DROP POLICY IF EXISTS tenant_wall ON %s', walled.name);
        EXECUTE format('CREATE POLICY tenant_wall ON %s USING (%I = visible_tenant())',
            walled.name, walled.tenant);
        EXECUTE format('DROP POLICY IF EXISTS owner_passes ON %s', walled.name);
        IF has_role THEN
            -- Nobody who asks for a tenant has business with keys, secrets or other tenants' names.
            CONTINUE WHEN walled.relname IN ('api_key', 'tenant', 'tenant_limit', 'ticket_secret');
            EXECUTE format('GRANT SELECT ON %s TO islet_tenant', walled.name);
        ELSE
            EXECUTE format(
                'CREATE POLICY owner_passes ON %s TO CURRENT_USER USING (visible_tenant() IS NULL)',
                walled.name);
        END IF;
    END LOOP;
    IF has_role THEN
        GRANT INSERT, UPDATE ON registration, channel_listener TO islet_tenant;
    END IF;
END
$$;

SELECT raise_tenant_walls();
