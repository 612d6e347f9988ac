-- The last version of an activity at a position or before it, or 0. Versions of an activity grow
-- with positions, so a binary search of some twenty steps finds it without an index of positions.
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
