-- A decision that is dropped waits no more: one after the end of its activity is never sent.
CREATE FUNCTION forget_pending() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM pending_decision p USING gone g
    WHERE p.tenant = g.tenant AND p.activity_id = g.activity_id AND p.version = g.version;
    RETURN NULL;
END
$$;

CREATE TRIGGER decision_is_forgotten AFTER DELETE ON decision
    REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION forget_pending();
