-- Whether an activity is late at a moment, as ActivityFacts.isLate computes it.
CREATE FUNCTION is_late(
    phase text, promised_at timestamptz, expected_at timestamptz, actual_at timestamptz,
    moment timestamptz
) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(CASE WHEN phase = 'ended' THEN actual_at > promised_at
        ELSE greatest(expected_at, moment) > promised_at END, false)
$$;
