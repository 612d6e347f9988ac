-- As before. But a start that may go out before its time is given up as well, and no audience that
-- is given up is looked through further. A phone keeps what a fan-out under way had sent it, and is
-- sent the newest state even if its last push was given up.
CREATE OR REPLACE FUNCTION accept_log(is_complete boolean, ahead_seconds integer) RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    accepted bigint;
    moment constant timestamptz := clock_timestamp();
    least_timestamp constant bigint := floor(extract(epoch FROM moment)) + ahead_seconds;
    -- What was due until then may have been done before the restore.
    done_until constant timestamptz := moment + make_interval(secs => ahead_seconds);
BEGIN
    -- First: the rest is refused while the log is held.
    UPDATE log_identity SET
        epoch = CASE WHEN is_complete THEN epoch
            ELSE greatest(epoch + 1, floor(extract(epoch FROM moment))::bigint) END,
        began_at = CASE WHEN is_complete THEN began_at ELSE moment END,
        marker = database_marker(), timeline = coalesce(database_timeline(), 0),
        beat_at = greatest(beat_at + interval '1 microsecond', moment),
        held_since = NULL, held_why = NULL
    RETURNING epoch INTO accepted;
    IF is_complete THEN
        RETURN accepted;
    END IF;

    INSERT INTO log_epoch_kept (tenant, epoch, position)
    SELECT tenant, accepted, position FROM log_head;

    CREATE TEMPORARY TABLE living ON COMMIT DROP AS
    SELECT p.tenant, p.activity_id, s.round_version, s.round_cursor, (
            SELECT max(d.version) FROM decision d
            WHERE d.tenant = p.tenant AND d.activity_id = p.activity_id
                AND d.settled_at IS NOT NULL AND d.verdict <> 'hold'
        ) AS settled_version, (
            SELECT max(d.version) FROM decision d
            WHERE d.tenant = p.tenant AND d.activity_id = p.activity_id AND d.verdict <> 'hold'
        ) AS newest_version
    FROM snapshot p
    JOIN projection_checkpoint c ON c.tenant = p.tenant AND c.generation = p.generation
    LEFT JOIN delivery_state s ON s.tenant = p.tenant AND s.activity_id = p.activity_id
    WHERE p.phase <> 'ended';

    INSERT INTO delivery_state AS s (tenant, activity_id, last_timestamp)
    SELECT tenant, activity_id, least_timestamp FROM living
    UNION
    SELECT tenant, activity_id, least_timestamp FROM delivery_state
    UNION
    SELECT tenant, activity_id, least_timestamp FROM registration
    ON CONFLICT ON CONSTRAINT delivery_state_key
        DO UPDATE SET last_timestamp = greatest(s.last_timestamp, excluded.last_timestamp);

    -- What a phone was sent stays sent: it gets the state, and no alert a second time. The time at
    -- which its push was accepted is that of the version that its row had.
    UPDATE registration r SET retry_at = 'epoch',
        sent_version = greatest(r.sent_version, CASE
            WHEN r.attempts = 0 AND r.retry_at IS NULL THEN greatest(
                l.settled_version, CASE WHEN r.id <= l.round_cursor THEN l.round_version END
            ) END),
        accepted_at = CASE
            WHEN r.attempts > 0 OR r.retry_at IS NOT NULL OR r.sent_version >= greatest(
                0, l.settled_version, CASE WHEN r.id <= l.round_cursor THEN l.round_version END
            ) THEN r.accepted_at END
    FROM living l
    WHERE l.tenant = r.tenant AND l.activity_id = r.activity_id AND r.dead_at IS NULL
        AND r.closed_at IS NULL;
    UPDATE channel o SET retry_at = 'epoch' FROM living l
    WHERE l.tenant = o.tenant AND l.activity_id = o.activity_id AND o.state = 'open'
        AND o.closed_at IS NULL;
    INSERT INTO webhook_message (
        tenant, webhook_id, activity_id, after_version, version, attempts, first_tried_at,
        tried_at, retry_at, last_failure
    )
    SELECT w.tenant, w.id, l.activity_id,
        -- The receiver knows it where the webhook has come past it.
        CASE WHEN d.position <= w.position THEN l.newest_version ELSE l.newest_version - 1 END,
        l.newest_version, 0, moment, moment, 'epoch', 'log-restored'
    FROM living l JOIN webhook w ON w.tenant = l.tenant
    JOIN decision d ON d.tenant = l.tenant AND d.activity_id = l.activity_id
        AND d.version = l.newest_version
    ON CONFLICT (tenant, webhook_id, activity_id) WHERE given_up_at IS NULL
        DO UPDATE SET retry_at = 'epoch';

    -- A card is started at most once. Only a start that waits for its audience's time or for its
    -- phone's budget cannot have gone out before it was due. An end may be sent twice.
    UPDATE card_start SET state = 'unknown', due_at = NULL, reason = 'log-restored',
        changed_at = moment
    WHERE state = 'trying'
        OR state IN ('waiting', 'held') AND (due_at <= done_until OR reason <> 'budget');
    -- An audience whose time is yet to come keeps it: no phone can have been looked at. Of others
    -- those that are known now may have their card, also those that were not looked at when the
    -- backup was made: each has a start, or putting its token again would make one.
    INSERT INTO card_start (
        tenant, activity_id, device_id, state, reason, put_version, changed_at
    )
    SELECT DISTINCT a.tenant, a.activity_id, s.device_id, 'unknown', 'log-restored',
        a.put_version, moment
    FROM activity_audience a
    LEFT JOIN projection_checkpoint c ON c.tenant = a.tenant
    LEFT JOIN snapshot p ON p.tenant = a.tenant AND p.generation = c.generation
        AND p.activity_id = a.activity_id
    JOIN start_topic s ON s.tenant = a.tenant AND s.topic = ANY (a.topics)
        AND s.device_id > a.cursor AND coalesce(s.kind = p.kind, true)
    JOIN start_token t ON t.tenant = s.tenant AND t.device_id = s.device_id AND t.kind = s.kind
        AND t.dead_at IS NULL
    WHERE a.due_at <= done_until AND a.closed_at IS NULL AND coalesce(p.phase <> 'ended', true)
    ON CONFLICT ON CONSTRAINT card_start_key DO NOTHING;
    UPDATE activity_audience a SET due_at = NULL, cursor = greatest(a.cursor, (
        SELECT max(d.id) FROM start_device d WHERE d.tenant = a.tenant
    ))
    WHERE a.due_at <= done_until;
    RETURN accepted;
END
$$;
