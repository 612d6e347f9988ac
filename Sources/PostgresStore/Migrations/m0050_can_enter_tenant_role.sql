-- Whether this user can work as the role islet_tenant, which owns nothing and passes no wall. It
-- makes the role when it is missing and the user may. Roles belong to the whole server: the Islet
-- of another database may have made it, and this user need not be a member of it.
CREATE FUNCTION can_enter_tenant_role() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    own_role text := current_setting('role');
BEGIN
    FOR attempt IN 1..2 LOOP
        BEGIN
            PERFORM set_config('role', 'islet_tenant', true);
            PERFORM set_config('role', own_role, true);
            IF EXISTS (
                SELECT FROM pg_roles
                WHERE rolname = 'islet_tenant' AND (rolsuper OR rolbypassrls)
            ) THEN
                RAISE EXCEPTION 'row-level security does not hold for the role islet_tenant: have '
                    'an administrator run ALTER ROLE islet_tenant NOSUPERUSER NOBYPASSRLS'
                    USING ERRCODE = 'invalid_role_specification';
            END IF;
            RETURN true;
        EXCEPTION WHEN insufficient_privilege OR invalid_parameter_value THEN
            NULL;
        END;
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'islet_tenant') THEN
                CREATE ROLE islet_tenant NOLOGIN;
            END IF;
            GRANT islet_tenant TO CURRENT_USER;
        EXCEPTION WHEN insufficient_privilege OR duplicate_object OR unique_violation THEN
            NULL;
        END;
    END LOOP;
    RETURN false;
END
$$;
