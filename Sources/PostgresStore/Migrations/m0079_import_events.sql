-- As before. But an event of which values were erased, here or in what is imported, is the same
-- event.
CREATE OR REPLACE FUNCTION import_events(
    owner integer, activities text[], sources text[], ids text[], types text[],
    schema_versions integer[], occurred timestamptz[], recorded timestamptz[], contents jsonb[],
    extras jsonb[] DEFAULT NULL,
    OUT outcomes smallint[], OUT positions bigint[], OUT versions bigint[]
) LANGUAGE plpgsql SET enable_seqscan = off SET enable_nestloop = off SET enable_mergejoin = off
SET jit = off AS $$
#variable_conflict use_column
DECLARE
    head record;
    new_count bigint;
BEGIN
    SELECT position, recorded_at INTO head FROM log_head WHERE tenant = owner FOR UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'unknown tenant' USING ERRCODE = 'foreign_key_violation';
    END IF;
    SELECT array_agg(
            CASE WHEN known.position IS NULL THEN 0 WHEN known.is_same THEN 1 ELSE 2 END::smallint
            ORDER BY i.ordinal),
        array_agg(coalesce(known.position, 0) ORDER BY i.ordinal),
        array_agg(coalesce(known.version, 0) ORDER BY i.ordinal)
    INTO outcomes, positions, versions
    FROM unnest(
        activities, sources, ids, types, schema_versions, occurred, contents
    ) WITH ORDINALITY AS i (
        activity_id, source, event_id, type, schema_version, occurred_at, data, ordinal
    )
    LEFT JOIN LATERAL (
        SELECT e.position, e.version,
            (e.type, e.schema_version, e.activity_id, e.occurred_at)
                = (i.type, i.schema_version, i.activity_id, i.occurred_at)
                AND (is_erased_from(e.data, i.data) OR is_erased_from(i.data, e.data)) AS is_same
        FROM event e
        WHERE e.tenant = owner AND e.source = i.source AND e.event_id = i.event_id
        LIMIT 1
    ) known ON true;
    IF 2 = ANY (outcomes) THEN
        outcomes := ARRAY(
            SELECT CASE o WHEN 0 THEN 4 ELSE o END::smallint
            FROM unnest(outcomes) WITH ORDINALITY AS u (o, ordinal) ORDER BY ordinal
        );
        RETURN;
    END IF;
    WITH incoming AS MATERIALIZED (
        SELECT i.*
        FROM unnest(
            outcomes, activities, sources, ids, types, schema_versions, occurred, recorded,
            contents, extras
        ) WITH ORDINALITY AS i (
            outcome, activity_id, source, event_id, type, schema_version, occurred_at,
            recorded_at, data, extensions, ordinal
        )
        WHERE i.outcome = 0
    ), activity AS MATERIALIZED (
        SELECT d.activity_id, coalesce(last.version, 0) AS version
        FROM (SELECT DISTINCT activity_id FROM incoming) d
        LEFT JOIN LATERAL (
            SELECT e.version FROM event e
            WHERE e.tenant = owner AND e.activity_id = d.activity_id
            ORDER BY e.version DESC LIMIT 1
        ) last ON true
    ), numbered AS (
        SELECT i.*,
            head.position + row_number() OVER (ORDER BY i.ordinal) AS position,
            a.version + row_number() OVER (PARTITION BY i.activity_id ORDER BY i.ordinal)
                AS version,
            greatest(head.recorded_at, max(i.recorded_at) OVER (ORDER BY i.ordinal))
                AS kept_at
        FROM incoming i JOIN activity a ON a.activity_id = i.activity_id
    ), inserted AS (
        INSERT INTO event (
            tenant, position, activity_id, version, event_id, source, type, schema_version,
            occurred_at, recorded_at, data, extensions
        )
        SELECT owner, position, activity_id, version, event_id, source, type, schema_version,
            occurred_at, kept_at, data, extensions
        FROM numbered ORDER BY position
    ), moved AS (
        UPDATE log_head h SET position = n.position, recorded_at = n.recorded_at
        FROM (
            SELECT max(position) AS position, max(kept_at) AS recorded_at FROM numbered
        ) n
        WHERE h.tenant = owner AND n.position IS NOT NULL
    )
    SELECT count(n.ordinal),
        array_agg(coalesce(n.position, known_position) ORDER BY u.ordinal),
        array_agg(coalesce(n.version, known_version) ORDER BY u.ordinal)
    INTO new_count, positions, versions
    FROM unnest(positions, versions) WITH ORDINALITY AS u (known_position, known_version, ordinal)
    LEFT JOIN numbered n ON n.ordinal = u.ordinal;
    IF new_count > 0 THEN
        PERFORM pg_notify('islet_news', 'appended ' || owner);
    END IF;
END
$$;
