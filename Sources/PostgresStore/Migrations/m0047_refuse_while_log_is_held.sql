-- Refuses to claim activities and webhooks while the log is held. The nodes check as well; the
-- triggers are for a node that does not know yet that another database is behind its address.
CREATE FUNCTION refuse_while_log_is_held() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    why text := log_hold();
BEGIN
    IF why IS NOT NULL THEN
        RAISE EXCEPTION 'nothing is sent from this log now (%)', why
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'islet restore status';
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER delivery_waits_for_acceptance
    BEFORE INSERT OR UPDATE OF last_timestamp ON delivery_state
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_while_log_is_held();

CREATE TRIGGER webhook_waits_for_acceptance BEFORE UPDATE OF lease ON webhook
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_while_log_is_held();
