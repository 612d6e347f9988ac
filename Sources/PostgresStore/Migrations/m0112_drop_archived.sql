-- drop_archived, as before. But what it drops is found by its keys, whatever the planner knows of
-- the tenant. Of one that was imported or has moved here a moment ago it knows nothing and takes it
-- for empty: it went through all snapshots of the tenant for each word, while the tenant's head and
-- its checkpoint were locked.

-- As before, but only for questions that say `position > 0`, which all positions are. Smaller than
-- the key, it looked cheaper for one activity of a tenant that seemed to have none, and all of the
-- tenant's snapshots were read.
DROP INDEX snapshot_by_position;
CREATE INDEX snapshot_by_position ON snapshot (tenant, position, generation) WHERE position > 0;

-- A generic plan takes the tenant for one like others. Each statement looks up one activity in one
-- table, so that there is nothing to join. A range of names counts as narrow even where the planner
-- has never seen more than one name; an equality does not, and any index would do.
CREATE OR REPLACE FUNCTION drop_archived(
    of_tenant integer, candidates text[], befores timestamptz[],
    OUT activities bigint, OUT events bigint
) LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
    through bigint := archived_through(of_tenant);
    live integer;
    -- Generations up to this one may have rows: the live one, and what a node which died has left.
    newest integer;
    candidate record;
    told record;
    its_words text;
    its_word text;
    dropped_bytes bigint := 0;
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
    newest := greatest(
        (SELECT max(s.generation) FROM snapshot s WHERE s.tenant = of_tenant),
        (SELECT max(p.generation) FROM parked_event p WHERE p.tenant = of_tenant));
    FOR candidate IN SELECT * FROM unnest(candidates, befores) AS c (id, before) LOOP
        CONTINUE WHEN NOT EXISTS (
            SELECT FROM snapshot s
            WHERE s.tenant = of_tenant AND s.generation = live AND s.activity_id = candidate.id
                AND is_droppable(s, through, candidate.before)
        );
        activities := activities + 1;
        DELETE FROM decision
        WHERE tenant = of_tenant AND activity_id BETWEEN candidate.id AND candidate.id;
        DELETE FROM delivery_state
        WHERE tenant = of_tenant AND activity_id BETWEEN candidate.id AND candidate.id;
        DELETE FROM registration
        WHERE tenant = of_tenant AND activity_id BETWEEN candidate.id AND candidate.id;
        DELETE FROM card_start
        WHERE tenant = of_tenant AND activity_id BETWEEN candidate.id AND candidate.id;
        DELETE FROM audience_topic
        WHERE tenant = of_tenant AND activity_id BETWEEN candidate.id AND candidate.id;
        DELETE FROM activity_audience
        WHERE tenant = of_tenant AND activity_id BETWEEN candidate.id AND candidate.id;
        DELETE FROM activity_notice
        WHERE tenant = of_tenant AND activity_id BETWEEN candidate.id AND candidate.id;
        DELETE FROM channel_listener
        WHERE tenant = of_tenant AND activity_id BETWEEN candidate.id AND candidate.id;
        DELETE FROM channel
        WHERE tenant = of_tenant AND activity_id BETWEEN candidate.id AND candidate.id;
        DELETE FROM webhook_message
        WHERE tenant = of_tenant AND activity_id BETWEEN candidate.id AND candidate.id
            AND given_up_at IS NOT NULL;
        -- Those that wait have an index by webhook alone.
        FOR told IN SELECT w.id FROM webhook w WHERE w.tenant = of_tenant LOOP
            DELETE FROM webhook_message
            WHERE tenant = of_tenant AND webhook_id = told.id
                AND activity_id BETWEEN candidate.id AND candidate.id AND given_up_at IS NULL;
        END LOOP;
        FOR its_generation IN 1..newest LOOP
            DELETE FROM parked_event
            WHERE tenant = of_tenant AND generation = its_generation
                AND activity_id BETWEEN candidate.id AND candidate.id;
            DELETE FROM snapshot
            WHERE tenant = of_tenant AND generation = its_generation AND activity_id = candidate.id
            RETURNING words INTO its_words;
            FOR its_word IN SELECT unnest(string_to_array(its_words, ' ')) LOOP
                DELETE FROM activity_word
                WHERE tenant = of_tenant AND word = its_word AND activity_id = candidate.id;
            END LOOP;
        END LOOP;
        WITH dropped AS (
            DELETE FROM event e
            WHERE e.tenant = of_tenant AND e.activity_id BETWEEN candidate.id AND candidate.id
            RETURNING e.position, pg_column_size(e.*) AS bytes
        )
        SELECT drop_archived.events + count(*), dropped_bytes + coalesce(sum(d.bytes), 0),
            least(first_dropped, min(d.position)), greatest(last_dropped, max(d.position))
        INTO events, dropped_bytes, first_dropped, last_dropped FROM dropped d;
    END LOOP;
    IF activities = 0 THEN
        RETURN;
    END IF;
    UPDATE tenant_usage u SET bytes = greatest(0, u.bytes - dropped_bytes)
    WHERE u.tenant = of_tenant;
    INSERT INTO log_dropped AS l (tenant, events, activities)
    VALUES (of_tenant, events, activities)
    ON CONFLICT ON CONSTRAINT log_dropped_key DO UPDATE SET
        events = l.events + excluded.events, activities = l.activities + excluded.activities,
        dropped_at = clock_timestamp();
    INSERT INTO audit_entry (tenant, actor, act, subject, after)
    SELECT of_tenant, acting(), 'activities.dropped',
        coalesce(first_dropped || '-' || last_dropped, ''),
        jsonb_build_object('activities', activities, 'events', events);
    UPDATE log_head SET tag = (random() * 9007199254740991)::bigint WHERE tenant = of_tenant;
    UPDATE projection_checkpoint
    SET moved_at = greatest(moved_at + interval '1 microsecond', clock_timestamp())
    WHERE tenant = of_tenant;
END
$$;
