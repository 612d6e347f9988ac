-- As before. But only a whole mark says that a value is erased: a number, or the digits that an
-- import leaves of what cannot be opened. A name that begins as marks do is somebody's.
CREATE OR REPLACE FUNCTION is_erased_from(kept jsonb, reported jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE
        WHEN kept = reported THEN true
        WHEN jsonb_typeof(kept) <> 'object' OR jsonb_typeof(reported) <> 'object' THEN false
        ELSE NOT EXISTS (
            SELECT FROM jsonb_each(kept) k FULL JOIN jsonb_each(reported) r ON r.key = k.key
            WHERE k.key IS NULL OR r.key IS NULL
                OR (k.value <> r.value AND NOT (
                    jsonb_typeof(k.value) = 'string'
                    AND k.value #>> '{}' ~ '^erased-([0-9]{1,9}|[0-9a-f]{8})$'
                ))
        )
    END
$$;
