-- What a tenant has set for a kind of activity. A version holds for the events from from_position
-- on. No version is ever changed, so a decision can be explained as long as its event is in the
-- log.
CREATE TABLE policy (
    tenant integer NOT NULL,
    kind text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    from_position bigint NOT NULL,
    document json NOT NULL,
    put_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT policy_key PRIMARY KEY (tenant, kind, version),
    CONSTRAINT policy_has_tenant FOREIGN KEY (tenant) REFERENCES tenant (id)
);

CREATE FUNCTION refuse_to_change_policies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'policies are never changed or removed; put a new version (% on %)',
        TG_OP, TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER policy_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON policy
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_policies();
