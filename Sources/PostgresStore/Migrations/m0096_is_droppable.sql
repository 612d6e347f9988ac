-- Whether an activity may be dropped: it has ended, changed last before a moment, has nothing under
-- way or owed, every webhook was told of it, and all its events are archived. A webhook's place
-- goes on over what did not arrive: that waits as a message.
CREATE OR REPLACE FUNCTION is_droppable(s snapshot, through bigint, before timestamptz)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT s.phase = 'ended' AND s.fault IS NULL AND s.due_at IS NULL AND s.position <= through
        AND coalesce(s.updated_at < before, false)
        AND NOT EXISTS (
            SELECT FROM event e WHERE e.tenant = s.tenant AND e.activity_id = s.activity_id
                AND e.version > s.version
        )
        AND NOT EXISTS (
            SELECT FROM pending_decision d
            WHERE d.tenant = s.tenant AND d.activity_id = s.activity_id AND NOT EXISTS (
                    SELECT FROM decision f
                    WHERE f.tenant = d.tenant AND f.activity_id = d.activity_id
                        AND f.verdict = 'end' AND f.version < d.version
                )
        )
        AND NOT EXISTS (
            SELECT FROM registration r
            WHERE r.tenant = s.tenant AND r.activity_id = s.activity_id
                AND r.retry_at IS NOT NULL
        )
        AND NOT EXISTS (
            SELECT FROM channel o
            WHERE o.tenant = s.tenant AND o.activity_id = s.activity_id AND o.closed_at IS NULL
        )
        AND NOT EXISTS (
            SELECT FROM webhook w
            WHERE w.tenant = s.tenant AND w.disabled_at IS NULL AND (
                w.position < s.position OR EXISTS (
                    SELECT FROM webhook_message m
                    WHERE m.tenant = s.tenant AND m.webhook_id = w.id
                        AND m.activity_id = s.activity_id AND m.given_up_at IS NULL
                )
            )
        )
$$;
