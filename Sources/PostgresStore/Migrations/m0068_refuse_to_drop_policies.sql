-- Policies go with the tenant that they are of, and not before.
CREATE FUNCTION refuse_to_drop_policies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM gone g WHERE g.tenant NOT IN (SELECT tenant FROM removed_tenant)) THEN
        RAISE EXCEPTION 'policies are never removed; put a new version (DELETE on policy)'
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;

DROP TRIGGER policy_is_append_only ON policy;

CREATE TRIGGER policy_is_append_only
    BEFORE UPDATE OR TRUNCATE ON policy
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_policies();

CREATE TRIGGER policy_is_kept
    AFTER DELETE ON policy REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_drop_policies();
