-- What activities are found and counted by, whatever their kind. Most activities have ended, and
-- most questions are about the others: so the indexes stay as small as what is going on.
ALTER TABLE snapshot
    ADD COLUMN promised_at timestamptz,
    ADD COLUMN expected_at timestamptz,
    ADD COLUMN actual_at timestamptz,
    ADD COLUMN starts_at timestamptz,
    ADD COLUMN competition text COLLATE "C",
    ADD COLUMN words text COLLATE "C" NOT NULL DEFAULT '';

CREATE INDEX snapshot_open ON snapshot (tenant, generation, activity_id)
    WHERE phase <> 'ended';
CREATE INDEX snapshot_done_late ON snapshot (tenant, generation, activity_id)
    WHERE phase = 'ended' AND actual_at > promised_at;
CREATE INDEX snapshot_faulted ON snapshot (tenant, generation, activity_id)
    WHERE fault IS NOT NULL;
CREATE INDEX snapshot_scoreboard ON snapshot (tenant, generation, competition, starts_at)
    WHERE phase = 'live' AND competition IS NOT NULL;

-- As ActivityFacts.isLate.
CREATE FUNCTION is_late(
    phase text, promised_at timestamptz, expected_at timestamptz, actual_at timestamptz,
    moment timestamptz
) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(CASE WHEN phase = 'ended' THEN actual_at > promised_at
        ELSE greatest(expected_at, moment) > promised_at END, false)
$$;
