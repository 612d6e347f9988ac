-- Makes the roles that Islet works as, and gives it the current database. For an administrator,
-- once; a second time changes nothing. A private Postgres runs it at every start, compose before
-- Islet.
--
--   islet_service  migrates and serves; owns the tables and may read statistics, nothing else
--   islet_visitor  logs in for what tenants ask; owns nothing and may do nothing by itself
--   islet_tenant   what both become for a tenant's question; sees that tenant's rows only
--
-- In this database only its owner and superusers may make temporary tables then, and in its schema
-- `public` only they may make anything, unless somebody else is granted it.
--
-- Nobody has a password afterwards who had none before.
DO $$
DECLARE
    service_id oid;
    item record;
BEGIN
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = session_user)
        OR session_user IN ('islet_service', 'islet_visitor', 'islet_tenant')
    THEN
        RAISE EXCEPTION 'only a superuser can make the roles, and none of that name: not %',
            quote_ident(session_user) USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- One at a time. Any fixed number will do.
    PERFORM pg_advisory_xact_lock(7598807758675379201);

    IF to_regrole('islet_tenant') IS NULL THEN
        CREATE ROLE islet_tenant NOLOGIN;
    END IF;
    IF to_regrole('islet_service') IS NULL THEN
        CREATE ROLE islet_service LOGIN;
    END IF;
    -- Membership alone gives it nothing: it has to become islet_tenant, which is a wall.
    IF to_regrole('islet_visitor') IS NULL THEN
        CREATE ROLE islet_visitor LOGIN NOINHERIT;
    END IF;
    service_id := to_regrole('islet_service')::oid;
    FOR item IN
        SELECT rolname FROM pg_roles
        WHERE rolname IN ('islet_tenant', 'islet_service', 'islet_visitor')
            AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb OR rolreplication)
    LOOP
        EXECUTE format(
            'ALTER ROLE %I NOSUPERUSER NOBYPASSRLS NOCREATEROLE NOCREATEDB NOREPLICATION',
            item.rolname);
    END LOOP;
    IF NOT EXISTS (
        SELECT FROM pg_auth_members
        WHERE roleid = to_regrole('islet_tenant') AND member = service_id
    ) THEN
        GRANT islet_tenant TO islet_service;
    END IF;
    IF NOT EXISTS (
        SELECT FROM pg_auth_members
        WHERE roleid = to_regrole('islet_tenant') AND member = to_regrole('islet_visitor')
    ) THEN
        GRANT islet_tenant TO islet_visitor;
    END IF;

    -- So that metrics and the doctor see how old others' transactions are and how standbys stand.
    -- Of tables it shows nothing; of others' sessions also what they ask.
    IF NOT EXISTS (
        SELECT FROM pg_auth_members
        WHERE roleid = to_regrole('pg_read_all_stats') AND member = service_id
    ) THEN
        GRANT pg_read_all_stats TO islet_service;
    END IF;

    -- Postgres writes what fails into its log: not the values, though, which are what merchants
    -- report and phones' tokens.
    FOR item IN
        SELECT format('ALTER ROLE %I SET %I = %L', r.name, s.name, s.value) AS change
        FROM (VALUES ('islet_service'), ('islet_visitor')) r (name),
            (VALUES ('log_error_verbosity', 'terse'), ('log_parameter_max_length', '0'))
                s (name, value)
        WHERE NOT EXISTS (
            SELECT FROM pg_db_role_setting d
            WHERE d.setdatabase = 0 AND d.setrole = to_regrole(r.name)
                AND s.name || '=' || s.value = ANY (d.setconfig)
        )
    LOOP
        EXECUTE item.change;
    END LOOP;

    -- The owner of a database may make tables in its schema `public`, since Postgres 15.
    IF (SELECT datdba FROM pg_database WHERE datname = current_database()) <> service_id THEN
        EXECUTE format('ALTER DATABASE %I OWNER TO islet_service', current_database());
    END IF;
    -- Nobody else may put objects where Islet's statements would find them instead of their own: a
    -- database of before Postgres 15 lets everybody, and every database temporary ones.
    IF has_schema_privilege('islet_visitor', 'public', 'CREATE')
        OR has_schema_privilege('islet_tenant', 'public', 'CREATE')
    THEN
        REVOKE CREATE ON SCHEMA public FROM PUBLIC, islet_visitor, islet_tenant;
    END IF;
    IF has_database_privilege('islet_visitor', current_database(), 'TEMPORARY')
        OR has_database_privilege('islet_tenant', current_database(), 'TEMPORARY')
    THEN
        EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC, islet_visitor, islet_tenant',
            current_database());
    END IF;
    -- `accept_log()` needs one, and an owner's right may have been that of everybody.
    IF NOT has_database_privilege('islet_service', current_database(), 'TEMPORARY') THEN
        EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO islet_service', current_database());
    END IF;
    IF NOT has_schema_privilege('islet_service', 'public', 'CREATE') THEN
        GRANT ALL ON SCHEMA public TO islet_service;
    END IF;
    -- What an older version made as superuser, or the login that migrated. Sequences and indexes go
    -- with their tables. Nothing of others, such as of a visitor: their views, and routines that
    -- work as their owner, would show them what islet_service sees.
    FOR item IN
        SELECT o.kind || ' ' || o.name AS object, r.rolname AS owner,
            r.rolname NOT IN ('islet_visitor', 'islet_tenant') AND o.is_harmless
                AND (r.rolsuper OR r.oid = (
                    SELECT relowner FROM pg_class
                    WHERE oid = to_regclass('public.islet_migration'))) AS is_taken
        FROM (
            SELECT 'TABLE', c.oid::regclass::text, c.relowner, true
            FROM pg_class c
            WHERE c.relnamespace = 'public'::regnamespace
                AND (c.relkind IN ('r', 'p', 'v', 'm')
                    OR c.relkind = 'S' AND NOT EXISTS (
                        SELECT FROM pg_depend d
                        WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
                            AND d.deptype IN ('a', 'i')))
                AND NOT EXISTS (
                    SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype = 'e')
            UNION ALL
            SELECT 'ROUTINE', p.oid::regprocedure::text, p.proowner, NOT p.prosecdef
                OR p.proname IN ('note_move', 'skip_while_fenced') AND p.pronargs = 0
            FROM pg_proc p
            WHERE p.pronamespace = 'public'::regnamespace AND NOT EXISTS (
                SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')
            UNION ALL
            SELECT 'TYPE', t.oid::regtype::text, t.typowner, true
            FROM pg_type t LEFT JOIN pg_class c ON c.oid = t.typrelid
            WHERE t.typnamespace = 'public'::regnamespace
                AND (t.typtype IN ('d', 'e', 'r') OR c.relkind = 'c')
                AND NOT EXISTS (
                    SELECT FROM pg_depend d WHERE d.objid = t.oid AND d.deptype = 'e')
        ) o (kind, name, owner, is_harmless) JOIN pg_roles r ON r.oid = o.owner
        WHERE o.owner <> service_id
    LOOP
        IF item.is_taken THEN
            EXECUTE format('ALTER %s OWNER TO islet_service', item.object);
        ELSE
            RAISE WARNING '% is not taken over from %', item.object, quote_ident(item.owner);
        END IF;
    END LOOP;
END
$$;
