-- History is still never rewritten. But a value may be erased from an event's data: whoever updates
-- it, and however, the database looks whether nothing else is changed, and whether the activity is
-- one of which somebody's data are erased. ALWAYS: also under replication roles.
CREATE FUNCTION refuse_to_rewrite_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM was w FULL JOIN is_now n ON n.tenant = w.tenant AND n.position = w.position
        WHERE w.tenant IS NULL OR n.tenant IS NULL
            OR to_jsonb(w) - 'data' <> to_jsonb(n) - 'data'
            OR NOT is_erased_from(n.data, w.data)
            OR NOT EXISTS (
                SELECT FROM subject_key k
                WHERE k.tenant = n.tenant AND k.activity_id = n.activity_id
                    AND k.erased_at IS NOT NULL
            )
    ) THEN
        RAISE EXCEPTION 'events are never changed or removed (UPDATE on event)'
            USING ERRCODE = 'restrict_violation',
                HINT = 'islet erase takes a person''s data from an activity';
    END IF;
    RETURN NULL;
END
$$;

DROP TRIGGER event_is_append_only ON event;

CREATE TRIGGER event_is_append_only
    BEFORE TRUNCATE ON event
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_history();

CREATE TRIGGER event_is_only_erased
    AFTER UPDATE ON event REFERENCING OLD TABLE AS was NEW TABLE AS is_now
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_rewrite_history();

ALTER TABLE event ENABLE ALWAYS TRIGGER event_is_append_only;
ALTER TABLE event ENABLE ALWAYS TRIGGER event_is_only_erased;
