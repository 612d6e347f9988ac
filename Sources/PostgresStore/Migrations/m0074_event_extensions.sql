-- CloudEvents attributes that Islet has no column for, kept as they were sent: one object, NULL where
-- there are none. They say who passed an event on (`traceparent`), not what happened, so an event
-- that comes again with others is the same event.
--
-- An event may come without a time; it then happened when it was received. Such a one that comes
-- again has another time, and is the same event all the same: `untimed` says which these are.
ALTER TABLE event ADD COLUMN extensions jsonb;

DROP FUNCTION append_plainly(
    integer[], text[], text[], text[], text[], integer[], timestamptz[], jsonb[], bigint[]);
DROP FUNCTION append_carefully(
    integer, integer, integer[], text[], text[], text[], text[], integer[], timestamptz[], jsonb[],
    bigint[]);
DROP FUNCTION append_events(
    integer[], integer[], text[], text[], text[], text[], integer[], timestamptz[], jsonb[],
    bigint[]);
DROP FUNCTION import_events(
    integer, text[], text[], text[], text[], integer[], timestamptz[], timestamptz[], jsonb[]);

-- Appends a batch in which nothing conflicts, in one statement. The caller holds the heads.
-- Raises unique_violation when an event is known already, appears twice, or expects another
-- version; the caller then goes about it carefully. So the common case looks nothing up: the
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

-- Appends the events [first_index, last_index] of a batch, which belong to one request and one
-- tenant, one by one: all of them or, when any conflicts, none. The caller holds the head.
-- Outcomes: 0 recorded, 1 already known, 2 content conflict, 3 version conflict, 4 not recorded.
CREATE FUNCTION append_carefully(
    first_index integer, last_index integer,
    tenants integer[], activities text[], sources text[], ids text[], types text[],
    schema_versions integer[], occurred timestamptz[], contents jsonb[], expected bigint[],
    extras jsonb[], untimed boolean[],
    OUT outcomes smallint[], OUT positions bigint[], OUT versions bigint[]
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    appended_at timestamptz := clock_timestamp();
    head_before bigint := (SELECT position FROM log_head WHERE tenant = tenants[first_index]);
    has_conflict boolean := false;
    known record;
    current_version bigint;
    n integer;
BEGIN
    BEGIN
        FOR i IN first_index..last_index LOOP
            n := i - first_index + 1;
            SELECT e.position, e.version,
                (e.type, e.schema_version, e.activity_id, e.data)
                    = (types[i], schema_versions[i], activities[i], contents[i])
                AND (e.occurred_at = occurred[i] OR coalesce(untimed[i], false))
                    AS is_same
            INTO known FROM event e
            WHERE e.tenant = tenants[i] AND e.source = sources[i] AND e.event_id = ids[i];
            IF FOUND THEN
                outcomes[n] := CASE WHEN known.is_same THEN 1 ELSE 2 END;
                positions[n] := known.position;
                versions[n] := known.version;
                has_conflict := has_conflict OR NOT known.is_same;
                CONTINUE;
            END IF;
            SELECT coalesce(max(e.version), 0) INTO current_version FROM event e
            WHERE e.tenant = tenants[i] AND e.activity_id = activities[i];
            IF expected[i] <> current_version THEN
                outcomes[n] := 3;
                positions[n] := 0;
                versions[n] := current_version;
                has_conflict := true;
                CONTINUE;
            END IF;
            UPDATE log_head h SET position = h.position + 1,
                recorded_at = greatest(h.recorded_at, appended_at)
            WHERE h.tenant = tenants[i]
            RETURNING h.position, h.recorded_at INTO known;
            INSERT INTO event (
                tenant, position, activity_id, version, event_id, source, type, schema_version,
                occurred_at, recorded_at, data, extensions
            ) VALUES (
                tenants[i], known.position, activities[i], current_version + 1, ids[i], sources[i],
                types[i], schema_versions[i], occurred[i], known.recorded_at, contents[i],
                extras[i]
            );
            outcomes[n] := 0;
            positions[n] := known.position;
            versions[n] := current_version + 1;
        END LOOP;
        IF has_conflict THEN
            RAISE SQLSTATE 'IS001';
        END IF;
    EXCEPTION WHEN SQLSTATE 'IS001' THEN
        -- The rows are gone again, the variables are not: correct what they say of those rows.
        FOR k IN 1..array_length(outcomes, 1) LOOP
            IF positions[k] > head_before THEN
                outcomes[k] := CASE outcomes[k] WHEN 2 THEN 2 ELSE 4 END;
                positions[k] := 0;
            END IF;
        END LOOP;
    END;
END
$$;

-- Appends a gathered batch of many requests, each of one tenant and atomic by itself; the events
-- of a request stand together. One row comes back, with an outcome (see append_carefully), a
-- position and a version per event in the given order. The last two have defaults for nodes of the
-- version before, which run beside new ones during an update.
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

-- As before, with the attributes beside the data.
CREATE FUNCTION import_events(
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
            (e.type, e.schema_version, e.activity_id, e.occurred_at, e.data)
                = (i.type, i.schema_version, i.activity_id, i.occurred_at, i.data) AS is_same
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
