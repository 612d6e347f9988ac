-- History is still never rewritten. But an event may go that is archived: whoever deletes it, and
-- however, the database looks whether it is. ALWAYS: also under replication roles.
CREATE FUNCTION refuse_to_drop_history() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM (
            SELECT g.tenant, max(g.position) AS position FROM gone g GROUP BY g.tenant
        ) g WHERE g.position > archived_through(g.tenant)
    ) THEN
        RAISE EXCEPTION 'events that are not archived are never removed (DELETE on event)'
            USING ERRCODE = 'restrict_violation',
                HINT = 'islet archive writes them to files, and drops what has ended';
    END IF;
    RETURN NULL;
END
$$;

DROP TRIGGER event_is_append_only ON event;

CREATE TRIGGER event_is_append_only
    BEFORE UPDATE OR TRUNCATE ON event
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_history();

CREATE TRIGGER event_is_kept_until_archived
    AFTER DELETE ON event REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_drop_history();

ALTER TABLE event ENABLE ALWAYS TRIGGER event_is_append_only;
ALTER TABLE event ENABLE ALWAYS TRIGGER event_is_kept_until_archived;
