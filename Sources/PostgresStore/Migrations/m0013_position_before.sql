-- The last position that was recorded before a moment, or 0. Recording times grow with positions,
-- and positions have no gaps, so a binary search of some twenty steps finds it without an index of
-- times.
CREATE FUNCTION position_before(of_tenant integer, moment timestamptz) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
    low bigint := 0;
    high bigint;
    middle bigint;
    is_before boolean;
BEGIN
    SELECT position INTO high FROM log_head WHERE tenant = of_tenant;
    high := coalesce(high, 0);
    WHILE low < high LOOP
        middle := (low + high + 1) / 2;
        SELECT recorded_at < moment INTO is_before
        FROM event WHERE tenant = of_tenant AND position = middle;
        IF is_before THEN
            low := middle;
        ELSE
            high := middle - 1;
        END IF;
    END LOOP;
    RETURN low;
END
$$;
