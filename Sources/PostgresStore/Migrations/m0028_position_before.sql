-- The last position that was recorded before a moment; 0 when there is none. Times of recording go
-- with positions, and positions have no holes: so it takes some twenty looks, and no index of times.
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
