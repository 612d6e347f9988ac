-- Nodes cache what a key grants and what a tenant may use. Each change is announced with its
-- commit, also one that is made in psql.
CREATE FUNCTION announce_key_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('islet_news', 'keys ' || coalesce(OLD.tenant, NEW.tenant));
    RETURN NULL;
END
$$;

CREATE TRIGGER api_key_change_is_announced
    AFTER DELETE OR UPDATE OF tenant, sha256, scopes, expires_at, revoked_at ON api_key
    FOR EACH ROW EXECUTE FUNCTION announce_key_change();

CREATE TRIGGER tenant_limit_change_is_announced
    AFTER INSERT OR UPDATE OR DELETE ON tenant_limit
    FOR EACH ROW EXECUTE FUNCTION announce_key_change();
