-- Figures of each tenant and minute, for charts. A row has some 400 bytes. Figures are added up,
-- but for the lag, of which the worst counts; no figure, no member.
CREATE TABLE series_minute (
    tenant integer NOT NULL,
    minute timestamptz NOT NULL,
    counts jsonb NOT NULL,
    CONSTRAINT series_minute_key PRIMARY KEY (tenant, minute)
);

-- Rows come in the order of time, and the old ones go together.
CREATE INDEX series_minute_by_minute ON series_minute USING brin (minute);

CREATE FUNCTION add_counts(one jsonb, other jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce(jsonb_object_agg(g.key, g.amount), '{}')
    FROM (
        SELECT e.key, CASE e.key WHEN 'lagMillis' THEN max(e.value::int8)
            ELSE sum(e.value::int8)::int8 END AS amount
        FROM (
            SELECT * FROM jsonb_each_text(one) UNION ALL SELECT * FROM jsonb_each_text(other)
        ) e
        GROUP BY e.key
    ) g
$$;

SELECT raise_tenant_walls();
