-- As before. But snapshots are found by their whole key. Without its middle, the generation, all of
-- a tenant's were read, twice for each call and while its head and its checkpoint are locked.
CREATE OR REPLACE FUNCTION drop_archived(
    of_tenant integer, candidates text[], befores timestamptz[],
    OUT activities bigint, OUT events bigint
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    through bigint := archived_through(of_tenant);
    live integer;
    -- All that snapshots may have: the live one, and those that a node which died has left.
    generations integer[];
    gone text[];
    event_count bigint;
    first_dropped bigint;
    last_dropped bigint;
BEGIN
    activities := 0;
    events := 0;
    PERFORM FROM log_head h WHERE h.tenant = of_tenant FOR UPDATE;
    SELECT c.generation INTO live FROM projection_checkpoint c
    WHERE c.tenant = of_tenant FOR UPDATE;
    -- A rebuild would bring back what is dropped beside it.
    IF EXISTS (SELECT FROM projection_rebuild r WHERE r.tenant = of_tenant) THEN
        RAISE EXCEPTION 'a rebuild is under way: let it end, or cancel it'
            USING ERRCODE = 'object_in_use';
    END IF;
    SELECT array_agg(s.activity_id) INTO gone
    FROM unnest(candidates, befores) AS i (activity_id, before)
    JOIN snapshot s ON s.tenant = of_tenant AND s.generation = live
        AND s.activity_id = i.activity_id
    WHERE is_droppable(s, through, i.before);
    IF gone IS NULL THEN
        RETURN;
    END IF;
    activities := array_length(gone, 1);
    generations := ARRAY(
        SELECT generate_series(1, max(s.generation)) FROM snapshot s WHERE s.tenant = of_tenant);
    DELETE FROM decision WHERE tenant = of_tenant AND activity_id = ANY (gone);
    DELETE FROM delivery_state WHERE tenant = of_tenant AND activity_id = ANY (gone);
    DELETE FROM registration WHERE tenant = of_tenant AND activity_id = ANY (gone);
    DELETE FROM card_start WHERE tenant = of_tenant AND activity_id = ANY (gone);
    DELETE FROM audience_topic WHERE tenant = of_tenant AND activity_id = ANY (gone);
    DELETE FROM activity_audience WHERE tenant = of_tenant AND activity_id = ANY (gone);
    DELETE FROM activity_notice WHERE tenant = of_tenant AND activity_id = ANY (gone);
    DELETE FROM channel_listener WHERE tenant = of_tenant AND activity_id = ANY (gone);
    DELETE FROM channel WHERE tenant = of_tenant AND activity_id = ANY (gone);
    DELETE FROM webhook_message WHERE tenant = of_tenant AND activity_id = ANY (gone);
    DELETE FROM parked_event WHERE tenant = of_tenant AND activity_id = ANY (gone);
    DELETE FROM activity_word w USING (
        SELECT s.activity_id, unnest(string_to_array(s.words, ' ')) AS word FROM snapshot s
        WHERE s.tenant = of_tenant AND s.generation = ANY (generations)
            AND s.activity_id = ANY (gone)
    ) g WHERE w.tenant = of_tenant AND w.word = g.word AND w.activity_id = g.activity_id;
    DELETE FROM snapshot
    WHERE tenant = of_tenant AND generation = ANY (generations) AND activity_id = ANY (gone);
    WITH dropped AS (
        DELETE FROM event e WHERE e.tenant = of_tenant AND e.activity_id = ANY (gone)
        RETURNING e.position, pg_column_size(e.*) AS bytes
    ), counted AS (
        SELECT count(*) AS events, coalesce(sum(d.bytes), 0)::bigint AS bytes,
            min(d.position) AS first, max(d.position) AS last
        FROM dropped d
    ), lighter AS (
        UPDATE tenant_usage u SET bytes = greatest(0, u.bytes - c.bytes) FROM counted c
        WHERE u.tenant = of_tenant
    )
    SELECT c.events, c.first, c.last INTO event_count, first_dropped, last_dropped FROM counted c;
    events := event_count;
    INSERT INTO log_dropped AS l (tenant, events, activities)
    VALUES (of_tenant, event_count, array_length(gone, 1))
    ON CONFLICT ON CONSTRAINT log_dropped_key DO UPDATE SET
        events = l.events + excluded.events, activities = l.activities + excluded.activities,
        dropped_at = clock_timestamp();
    INSERT INTO audit_entry (tenant, actor, act, subject, after)
    SELECT of_tenant, acting(), 'activities.dropped',
        coalesce(first_dropped || '-' || last_dropped, ''),
        jsonb_build_object('activities', array_length(gone, 1), 'events', event_count);
    UPDATE log_head SET tag = (random() * 9007199254740991)::bigint WHERE tenant = of_tenant;
    UPDATE projection_checkpoint
    SET moved_at = greatest(moved_at + interval '1 microsecond', clock_timestamp())
    WHERE tenant = of_tenant;
END
$$;
