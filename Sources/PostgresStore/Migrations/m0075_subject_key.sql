-- The keys that seal the personal values of an activity in what is archived of it, 32 bytes each.
-- Without the key they can never be read again: that is how archived values are erased.
CREATE TABLE subject_key (
    tenant integer NOT NULL,
    activity_id text COLLATE "C" NOT NULL,
    -- NULL since the last erasure, unless something was archived after it.
    key bytea,
    erased_at timestamptz,
    CONSTRAINT subject_key_key PRIMARY KEY (tenant, activity_id)
);
INSERT INTO tenant_access (relname, access) VALUES ('subject_key', 'none');
SELECT raise_tenant_walls();

CREATE TRIGGER subject_erasure_is_noted AFTER INSERT OR UPDATE OF erased_at ON subject_key
    FOR EACH ROW WHEN (NEW.erased_at IS NOT NULL)
    EXECUTE FUNCTION note_act('activity.erased', 'activity_id', 'erased_at');
