-- History is not rewritten, not even by accident in psql. ALWAYS: also under replication roles.
CREATE FUNCTION refuse_to_change_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'events are never changed or removed (% on %)', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END
$$;

CREATE TRIGGER event_is_append_only
    BEFORE UPDATE OR DELETE OR TRUNCATE ON event
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_history();

ALTER TABLE event ENABLE ALWAYS TRIGGER event_is_append_only;
