-- Writes down what is done to a row, whoever does it: the API, a command, or somebody in psql. It
-- commits with the act or not at all.
--
-- Arguments: the act; the column that names the row; the columns that are shown. What is not named
-- is not shown, so no secret is. Of a URL only its host is: paths and queries may hold tokens.
CREATE FUNCTION note_act() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    was jsonb;
    is_now jsonb;
    either jsonb;
BEGIN
    IF TG_OP <> 'INSERT' THEN was := to_jsonb(OLD); END IF;
    IF TG_OP <> 'DELETE' THEN is_now := to_jsonb(NEW); END IF;
    IF TG_TABLE_NAME = 'policy' THEN
        SELECT to_jsonb(p) INTO was FROM policy p
        WHERE p.tenant = NEW.tenant AND p.kind = NEW.kind AND p.version = NEW.version - 1;
    END IF;
    either := coalesce(is_now, was);
    INSERT INTO audit_entry (tenant, actor, act, subject, before, after)
    SELECT
        (either ->> CASE TG_TABLE_NAME WHEN 'tenant' THEN 'id' ELSE 'tenant' END)::integer,
        acting(), TG_ARGV[0], either ->> TG_ARGV[1], shown_of(was, TG_ARGV[2:]),
        shown_of(is_now, TG_ARGV[2:]);
    RETURN NULL;
END
$$;

CREATE FUNCTION shown_of(line jsonb, names text[]) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_object_agg(
        m.key, CASE m.key
            WHEN 'url' THEN to_jsonb(
                substring(m.value #>> '{}' from '^https?://(?:[^/?#@]*@)?([^/?#]*)'))
            ELSE m.value END)
    FROM jsonb_each(line) m WHERE m.key = ANY (names)
$$;

CREATE TRIGGER tenant_creation_is_noted AFTER INSERT ON tenant
    FOR EACH ROW EXECUTE FUNCTION note_act('tenant.created', 'name', 'name');

CREATE TRIGGER tenant_limit_is_noted AFTER INSERT OR UPDATE ON tenant_limit
    FOR EACH ROW EXECUTE FUNCTION note_act(
        'limits.set', 'tenant', 'requests_per_second', 'events_per_second', 'bytes_per_second',
        'body_bytes_max', 'batch_events_max', 'stored_events_max', 'stored_bytes_max');

CREATE TRIGGER api_key_creation_is_noted AFTER INSERT ON api_key
    FOR EACH ROW EXECUTE FUNCTION note_act(
        'key.created', 'id', 'label', 'scopes', 'expires_at');

CREATE TRIGGER api_key_end_is_noted AFTER UPDATE OF revoked_at ON api_key
    FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
    EXECUTE FUNCTION note_act('key.revoked', 'id', 'label', 'scopes', 'expires_at', 'revoked_at');

-- The first secret is made by itself, with the first ticket.
CREATE TRIGGER ticket_secret_is_noted AFTER INSERT ON ticket_secret
    FOR EACH ROW WHEN (NEW.id > 1) EXECUTE FUNCTION note_act('tickets.rotated', 'id', 'id');

CREATE TRIGGER policy_is_noted AFTER INSERT ON policy
    FOR EACH ROW EXECUTE FUNCTION note_act('policy.put', 'kind', 'version', 'document');

CREATE TRIGGER app_key_is_noted AFTER INSERT ON app_key
    FOR EACH ROW EXECUTE FUNCTION note_act(
        'app-key.added', 'bundle_id', 'team_id', 'key_id', 'scope', 'master_key_id');

CREATE TRIGGER app_key_end_is_noted AFTER DELETE ON app_key
    FOR EACH ROW EXECUTE FUNCTION note_act(
        'app-key.removed', 'bundle_id', 'team_id', 'key_id', 'scope', 'master_key_id');

CREATE TRIGGER app_key_seal_is_noted AFTER UPDATE OF sealed ON app_key
    FOR EACH ROW EXECUTE FUNCTION note_act(
        'app-key.rewrapped', 'bundle_id', 'key_id', 'master_key_id');

CREATE TRIGGER webhook_is_noted AFTER INSERT ON webhook
    FOR EACH ROW EXECUTE FUNCTION note_act('webhook.added', 'id', 'url', 'kinds', 'phases');

CREATE TRIGGER webhook_end_is_noted AFTER DELETE ON webhook
    FOR EACH ROW EXECUTE FUNCTION note_act('webhook.removed', 'id', 'url', 'kinds', 'phases');

CREATE TRIGGER webhook_change_is_noted AFTER UPDATE OF url, kinds, phases, disabled_by ON webhook
    FOR EACH ROW WHEN (
        (OLD.url, OLD.kinds, OLD.phases, OLD.disabled_by)
            IS DISTINCT FROM (NEW.url, NEW.kinds, NEW.phases, NEW.disabled_by)
    )
    EXECUTE FUNCTION note_act(
        'webhook.changed', 'id', 'url', 'kinds', 'phases', 'disabled_by');

CREATE TRIGGER webhook_secret_is_noted AFTER INSERT ON webhook_secret
    FOR EACH ROW EXECUTE FUNCTION note_act(
        'webhook.secret-made', 'webhook_id', 'master_key_id');

CREATE TRIGGER parked_event_skip_is_noted AFTER UPDATE OF is_skipped ON parked_event
    FOR EACH ROW WHEN (NEW.is_skipped AND NOT OLD.is_skipped)
    EXECUTE FUNCTION note_act('event.skipped', 'position', 'activity_id', 'reason');
