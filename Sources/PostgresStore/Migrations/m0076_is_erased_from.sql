-- Whether an event's data are those that were reported, but for members that are erased since.
CREATE FUNCTION is_erased_from(kept jsonb, reported jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN kept = reported THEN true
        WHEN jsonb_typeof(kept) <> 'object' OR jsonb_typeof(reported) <> 'object' THEN false
        ELSE NOT EXISTS (
            SELECT FROM jsonb_each(kept) k FULL JOIN jsonb_each(reported) r ON r.key = k.key
            WHERE k.key IS NULL OR r.key IS NULL
                OR (k.value <> r.value AND NOT (
                    jsonb_typeof(k.value) = 'string' AND k.value #>> '{}' LIKE 'erased-%'
                ))
        )
    END
$$;
