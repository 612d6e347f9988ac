-- As before. But it changes only what is missing, in the order of the tables' names. So it locks no
-- table of a database that is complete, or that lacks privileges alone. For a lock that it needs it
-- waits less long than `deadlock_timeout`.

-- Privileges of all tables, and walls of one or of all. So that walls can be raised one by one, a
-- tenant's requests become islet_tenant once it has its privileges, and the owner again once all
-- walls are forced on it. A table without a wall gets no privileges before the transaction that
-- walls it: nobody knows how long the tables before it are waited for.
CREATE FUNCTION raise_tenant_walls(of_table regclass) RETURNS void LANGUAGE plpgsql
SET lock_timeout TO '900ms' AS $$
DECLARE
    has_role boolean := can_enter_tenant_role();
    role_source text := CASE WHEN has_role THEN 'SELECT ''islet_tenant''::text'
        ELSE 'SELECT current_setting(''role'')' END;
    new_role text;
    granted record;
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
    IF NOT EXISTS (
        SELECT FROM pg_proc p
        WHERE p.oid = to_regprocedure('tenant_role()') AND p.prosrc = role_source
    ) THEN
        new_role := format(
            'CREATE OR REPLACE FUNCTION tenant_role() RETURNS text LANGUAGE sql STABLE AS %L',
            role_source);
    END IF;
    IF has_role THEN
        IF NOT has_schema_privilege('islet_tenant', current_schema(), 'USAGE') THEN
            EXECUTE format('GRANT USAGE ON SCHEMA %I TO islet_tenant', current_schema());
        END IF;
        FOR granted IN
            SELECT c.oid::regclass AS name, missing.privileges
            FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
            LEFT JOIN tenant_access t ON t.relname = c.relname
            CROSS JOIN LATERAL (
                SELECT string_agg(allowed, ', ') AS privileges
                FROM unnest(CASE t.access
                    WHEN 'none' THEN '{}' WHEN 'write' THEN '{SELECT,INSERT,UPDATE}'
                    ELSE '{SELECT}'
                END::text[]) allowed
                WHERE NOT has_table_privilege('islet_tenant', c.oid, allowed)
            ) missing
            WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
                AND NOT c.relispartition AND NOT a.attisdropped
                AND a.attname = CASE c.relname WHEN 'tenant' THEN 'id' ELSE 'tenant' END
                AND missing.privileges IS NOT NULL
                AND (c.relrowsecurity OR of_table IS NULL OR c.oid = of_table)
            ORDER BY c.relname
        LOOP
            EXECUTE format('GRANT %s ON %s TO islet_tenant', granted.privileges, granted.name);
        END LOOP;
        IF new_role IS NOT NULL THEN EXECUTE new_role; END IF;
    END IF;
    FOR walled IN
        SELECT c.oid::regclass AS name, a.attname AS tenant, c.relrowsecurity AS is_on,
            c.relforcerowsecurity AS is_forced,
            coalesce(p.has_wall, false) AS has_wall, coalesce(p.is_wall, false) AS is_wall,
            coalesce(p.has_passage, false) AS has_passage,
            coalesce(p.is_passage, false) AS is_passage
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
        CROSS JOIN LATERAL (
            SELECT bool_or(polname = 'tenant_wall') AS has_wall,
                bool_or(polname = 'tenant_wall' AND is_plain AND polroles = '{0}'
                    AND condition = format('(%I = visible_tenant())', a.attname)) AS is_wall,
                bool_or(polname = 'owner_passes') AS has_passage,
                bool_or(polname = 'owner_passes' AND is_plain
                    AND polroles = ARRAY[to_regrole(quote_ident(current_user))::oid]
                    AND condition = '(visible_tenant() IS NULL)') AS is_passage
            FROM pg_policy CROSS JOIN LATERAL (
                SELECT polpermissive AND polcmd = '*' AND polwithcheck IS NULL,
                    pg_get_expr(polqual, polrelid)
            ) x (is_plain, condition)
            WHERE polrelid = c.oid AND polname IN ('tenant_wall', 'owner_passes')
        ) p
        WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
            AND NOT c.relispartition AND NOT a.attisdropped
            AND a.attname = CASE c.relname WHEN 'tenant' THEN 'id' ELSE 'tenant' END
            AND (of_table IS NULL OR c.oid = of_table)
        ORDER BY c.relname
    LOOP
        IF NOT walled.is_on THEN
            EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', walled.name);
        END IF;
        IF walled.is_forced = has_role THEN
            EXECUTE format('ALTER TABLE %s %s ROW LEVEL SECURITY', walled.name,
                CASE WHEN has_role THEN 'NO FORCE' ELSE 'FORCE' END);
        END IF;
        IF NOT walled.is_wall THEN
            IF walled.has_wall THEN
                EXECUTE format('DROP POLICY tenant_wall ON %s', walled.name);
            END IF;
            EXECUTE format('CREATE POLICY tenant_wall ON %s USING (%I = visible_tenant())',
                walled.name, walled.tenant);
        END IF;
        IF walled.has_passage AND (has_role OR NOT walled.is_passage) THEN
            EXECUTE format('DROP POLICY owner_passes ON %s', walled.name);
        END IF;
        IF NOT has_role AND NOT walled.is_passage THEN
            EXECUTE format(
                'CREATE POLICY owner_passes ON %s TO CURRENT_USER USING (visible_tenant() IS NULL)',
                walled.name);
        END IF;
    END LOOP;
    IF NOT has_role AND of_table IS NULL AND new_role IS NOT NULL THEN EXECUTE new_role; END IF;
END
$$;

CREATE OR REPLACE FUNCTION raise_tenant_walls() RETURNS void LANGUAGE sql AS $$
    SELECT raise_tenant_walls(NULL::regclass)
$$;
