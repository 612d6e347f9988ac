-- Puts a wall around the rows of each tenant in every table that has them. A migration that adds
-- such a table calls it again; so does an administrator who made the role islet_tenant later.
--
-- With the role, a tenant's requests run as islet_tenant, which sees the rows of visible_tenant()
-- only, and the owner passes. Without it, the walls hold for the owner too, who passes them while
-- there is no visible_tenant().
CREATE FUNCTION raise_tenant_walls() RETURNS void LANGUAGE plpgsql AS $$
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
