-- Appends a batch without conflicts in one statement. The caller holds the head rows.
--
-- It raises unique_violation when an event is known already, appears twice or expects another
-- version. The caller then uses append_carefully(). The common case therefore looks nothing up: the
-- unique indexes find duplicates while the rows go in.
CREATE FUNCTION append_plainly(
    tenants integer[], activities text[], sources text[], ids text[], types text[],
    schema_versions integer[], occurred timestamptz[], contents jsonb[], expected bigint[],
    extras jsonb[],
    OUT positions bigint[], OUT versions bigint[]
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    appended_at timestamptz := clock_timestamp();
    has_mismatch boolean;
BEGIN
    WITH incoming AS (
        SELECT *
        FROM unnest(
            tenants, activities, sources, ids, types, schema_versions, occurred, contents,
            expected, extras
        ) WITH ORDINALITY AS i (
            tenant, activity_id, source, event_id, type, schema_version, occurred_at, data,
            expected_version, extensions, ordinal
        )
    ), head AS MATERIALIZED (
        -- Once, too: a row that moves often has old versions in the way of those who look it up.
        SELECT h.tenant, h.position, greatest(h.recorded_at, appended_at) AS recorded_at
        FROM log_head h WHERE h.tenant = ANY (tenants)
    ), activity AS MATERIALIZED (
        -- Once per activity and not once per event, which is what the planner would do.
        SELECT d.tenant, d.activity_id, coalesce(last.version, 0) AS version
        FROM (SELECT DISTINCT tenant, activity_id FROM incoming) d
        LEFT JOIN LATERAL (
            SELECT e.version FROM event e
            WHERE e.tenant = d.tenant AND e.activity_id = d.activity_id
            ORDER BY e.version DESC LIMIT 1
        ) last ON true
    ), numbered AS (
        SELECT i.*,
            h.position + row_number() OVER (PARTITION BY i.tenant ORDER BY i.ordinal)
                AS position,
            a.version
                + row_number() OVER (PARTITION BY i.tenant, i.activity_id ORDER BY i.ordinal)
                AS version,
            h.recorded_at
        FROM incoming i
        JOIN head h ON h.tenant = i.tenant
        JOIN activity a ON a.tenant = i.tenant AND a.activity_id = i.activity_id
    ), inserted AS (
        INSERT INTO event (
            tenant, position, activity_id, version, event_id, source, type, schema_version,
            occurred_at, recorded_at, data, extensions
        )
        SELECT tenant, position, activity_id, version, event_id, source, type, schema_version,
            occurred_at, recorded_at, data, extensions
        FROM numbered ORDER BY tenant, position
    ), moved AS (
        UPDATE log_head h SET position = n.position, recorded_at = n.recorded_at
        FROM (
            SELECT tenant, max(position) AS position, max(recorded_at) AS recorded_at
            FROM numbered GROUP BY tenant
        ) n
        WHERE h.tenant = n.tenant
    )
    SELECT array_agg(position ORDER BY ordinal), array_agg(version ORDER BY ordinal),
        coalesce(bool_or(expected_version <> version - 1), false)
    INTO positions, versions, has_mismatch
    FROM numbered;
    IF has_mismatch THEN
        RAISE unique_violation;
    END IF;
END
$$;
