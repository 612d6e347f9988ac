-- What whoever asks for a tenant may do with its rows, beside reading them, which any table allows
-- that is not named here. A migration that adds a table names it if it is to be another, and calls
-- raise_tenant_walls().
CREATE TABLE tenant_access (
    relname name CONSTRAINT tenant_access_key PRIMARY KEY,
    access text NOT NULL,
    CONSTRAINT tenant_access_is_known CHECK (access IN ('none', 'write'))
);

-- Nobody who asks for a tenant has business with keys, secrets or other tenants' names.
INSERT INTO tenant_access (relname, access) VALUES
    ('api_key', 'none'),
    ('tenant', 'none'),
    ('tenant_limit', 'none'),
    ('ticket_secret', 'none'),
    ('registration', 'write'),
    ('channel_listener', 'write');

-- As before, but for the names.
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
        SELECT c.oid::regclass AS name, a.attname AS tenant, CASE t.access
                WHEN 'none' THEN NULL WHEN 'write' THEN 'SELECT, INSERT, UPDATE' ELSE 'SELECT'
            END AS allowed
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        LEFT JOIN tenant_access t ON t.relname = c.relname
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
        IF NOT has_role THEN
            EXECUTE format(
                'CREATE POLICY owner_passes ON %s TO CURRENT_USER USING (visible_tenant() IS NULL)',
                walled.name);
        ELSIF walled.allowed IS NOT NULL THEN
            EXECUTE format('GRANT %s ON %s TO islet_tenant', walled.allowed, walled.name);
        END IF;
    END LOOP;
END
$$;

SELECT raise_tenant_walls();
