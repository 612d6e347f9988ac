-- As before. But an event that comes again after values of it were erased is the same event.
CREATE OR REPLACE FUNCTION append_carefully(
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
                (e.type, e.schema_version, e.activity_id)
                    = (types[i], schema_versions[i], activities[i])
                AND is_erased_from(e.data, contents[i])
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
