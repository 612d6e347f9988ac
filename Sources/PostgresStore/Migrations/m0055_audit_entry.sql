-- What administrators have done to a tenant: who, when, what, and what it changed. Never a secret.
-- It is append-only, as the log of events is, and has no end.
CREATE TABLE audit_entry (
    tenant integer NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor text NOT NULL,
    act text NOT NULL,
    subject text NOT NULL,
    before jsonb,
    after jsonb,
    CONSTRAINT audit_entry_key PRIMARY KEY (tenant, id)
);

CREATE INDEX audit_entry_newest ON audit_entry (id);

CREATE FUNCTION refuse_to_change_acts() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'acts are never changed or removed (% on %)', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER audit_entry_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_acts();

ALTER TABLE audit_entry ENABLE ALWAYS TRIGGER audit_entry_is_append_only;

SELECT raise_tenant_walls();
