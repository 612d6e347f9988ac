-- Ways to what is asked for, whatever else there is of its tenant.

-- The next matches of all competitions, and of one, in the order of the board.
DROP INDEX snapshot_scoreboard;
CREATE INDEX snapshot_scoreboard
    ON snapshot (tenant, generation, competition, starts_at, activity_id)
    WHERE phase = 'live' AND competition IS NOT NULL;
CREATE INDEX snapshot_scoreboard_of_all ON snapshot (tenant, generation, starts_at, activity_id)
    WHERE phase = 'live' AND competition IS NOT NULL;

-- Pushes that were given up, and nothing that was once. Those of one activity.
DROP INDEX registration_given_up;
CREATE INDEX registration_given_up ON registration (tenant, given_up_at, id)
    WHERE given_up_at IS NOT NULL AND retry_at IS NULL AND dead_at IS NULL AND closed_at IS NULL;
CREATE INDEX registration_given_up_of_activity ON registration (tenant, activity_id, given_up_at)
    WHERE given_up_at IS NOT NULL AND retry_at IS NULL AND dead_at IS NULL AND closed_at IS NULL;
CREATE INDEX card_start_given_up_of_activity ON card_start (tenant, activity_id, changed_at)
    WHERE state IN ('unknown', 'refused') AND dismissed_at IS NULL;
CREATE INDEX webhook_message_given_up_of_activity
    ON webhook_message (tenant, activity_id, given_up_at) WHERE given_up_at IS NOT NULL;

-- Those that are closed too.
CREATE INDEX channel_of_activity ON channel (tenant, activity_id, bundle_id, environment, id);

-- What an activity leaves out when it is folded again, and nothing that is only parked.
CREATE INDEX parked_event_skipped ON parked_event (tenant, generation, activity_id, position)
    WHERE is_skipped;

-- The last version that stands at a position or before it; 0 when there is none. An activity's
-- versions go with positions: so it takes some twenty looks, and no index of positions.
CREATE FUNCTION version_upto(of_tenant integer, activity text, place bigint) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
    low bigint := 0;
    high bigint;
    middle bigint;
    is_within boolean;
BEGIN
    IF place < 1 THEN
        RETURN 0;
    END IF;
    SELECT e.version INTO high FROM event e
    WHERE e.tenant = of_tenant AND e.activity_id = activity ORDER BY e.version DESC LIMIT 1;
    high := coalesce(high, 0);
    WHILE low < high LOOP
        middle := (low + high + 1) / 2;
        SELECT e.position <= place INTO is_within FROM event e
        WHERE e.tenant = of_tenant AND e.activity_id = activity AND e.version = middle;
        IF is_within THEN
            low := middle;
        ELSE
            high := middle - 1;
        END IF;
    END LOOP;
    RETURN low;
END
$$;
