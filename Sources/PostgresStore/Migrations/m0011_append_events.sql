-- Appends a batch that was gathered from many requests. Each request belongs to one tenant and is
-- atomic by itself, and its events stand next to each other. The one row of the answer has an
-- outcome (see append_carefully), a position and a version for each event, in the order given.
CREATE FUNCTION append_events(
    requests integer[], tenants integer[], activities text[], sources text[], ids text[],
    types text[], schema_versions integer[], occurred timestamptz[], contents jsonb[],
    expected bigint[], extras jsonb[] DEFAULT NULL, untimed boolean[] DEFAULT NULL,
    OUT outcomes smallint[], OUT positions bigint[], OUT versions bigint[]
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    involved integer[] := ARRAY(SELECT DISTINCT t FROM unnest(tenants) t ORDER BY t);
    heads_before bigint[];
    part record;
BEGIN
    -- In one order everywhere, so that two batches never wait for each other.
    heads_before := ARRAY(
        SELECT position FROM (
            SELECT tenant, position FROM log_head WHERE tenant = ANY (involved)
            ORDER BY tenant FOR UPDATE
        ) locked ORDER BY tenant
    );
    IF cardinality(heads_before) <> cardinality(involved) THEN
        RAISE EXCEPTION 'unknown tenant' USING ERRCODE = 'foreign_key_violation';
    END IF;
    BEGIN
        SELECT p.positions, p.versions INTO positions, versions
        FROM append_plainly(
            tenants, activities, sources, ids, types, schema_versions, occurred, contents, expected,
            extras
        ) p;
        outcomes := array_fill(0::smallint, ARRAY[cardinality(tenants)]);
    EXCEPTION WHEN unique_violation THEN
        outcomes := '{}';
        positions := '{}';
        versions := '{}';
        FOR part IN
            SELECT min(ordinal)::integer AS first_index, max(ordinal)::integer AS last_index
            FROM unnest(requests) WITH ORDINALITY AS r (request, ordinal)
            GROUP BY request ORDER BY 1
        LOOP
            SELECT append_events.outcomes || c.outcomes, append_events.positions || c.positions,
                append_events.versions || c.versions
            INTO outcomes, positions, versions
            FROM append_carefully(
                part.first_index, part.last_index, tenants, activities, sources, ids, types,
                schema_versions, occurred, contents, expected, extras, untimed
            ) c;
        END LOOP;
    END;
    PERFORM pg_notify('islet_news', 'appended ' || h.tenant)
    FROM unnest(involved, heads_before) AS b (tenant, position)
    JOIN log_head h ON h.tenant = b.tenant AND h.position > b.position;
END
$$;
