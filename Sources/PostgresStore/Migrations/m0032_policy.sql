-- What tenants want of each kind. A version holds for the events from from_position on, and none is
-- ever changed: why something was decided can be told for as long as the log is there.
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

-- Counts the tenant's policies of all kinds, so that a follower sees in the row that it reads anyway
-- whether there are new ones.
ALTER TABLE log_head ADD COLUMN policy_epoch integer NOT NULL DEFAULT 0;

SELECT raise_tenant_walls();
