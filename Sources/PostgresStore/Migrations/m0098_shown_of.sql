-- What an act shows of a row, as note_act calls it. Of a URL that is the host: the rest may hold
-- secrets. A digest of the whole URL, too short to find a secret by, shows that the rest changed.
CREATE OR REPLACE FUNCTION shown_of(line jsonb, names text[]) RETURNS jsonb
LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_object_agg(s.name, s.value)
    FROM jsonb_each(line) m
    CROSS JOIN LATERAL (
        SELECT m.key, m.value WHERE m.key <> 'url'
        UNION ALL
        SELECT 'url', to_jsonb(
            substring(m.value #>> '{}' from '^https?://(?:[^/?#@]*@)?([^/?#]*)'))
        WHERE m.key = 'url'
        UNION ALL
        SELECT 'url_digest', to_jsonb(
            left(encode(sha256(convert_to(m.value #>> '{}', 'UTF8')), 'hex'), 8))
        WHERE m.key = 'url'
    ) s (name, value)
    WHERE m.key = ANY (names)
$$;
