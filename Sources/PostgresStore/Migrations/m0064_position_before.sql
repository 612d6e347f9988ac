-- As before, in a log whose archived events may be dropped: position_before() goes by the next
-- event that is there.
CREATE OR REPLACE FUNCTION position_before(of_tenant integer, moment timestamptz) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
    low bigint := 0;
    high bigint;
    middle bigint;
    found bigint;
    is_before boolean;
BEGIN
    SELECT position INTO high FROM log_head WHERE tenant = of_tenant;
    high := coalesce(high, 0);
    WHILE low < high LOOP
        middle := (low + high + 1) / 2;
        SELECT e.position, e.recorded_at < moment INTO found, is_before
        FROM event e WHERE e.tenant = of_tenant AND e.position >= middle
        ORDER BY e.position LIMIT 1;
        IF is_before AND found <= high THEN
            low := found;
        ELSE
            high := middle - 1;
        END IF;
    END LOOP;
    RETURN low;
END
$$;
