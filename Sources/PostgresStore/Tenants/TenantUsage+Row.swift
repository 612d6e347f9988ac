import EventStore
import Postgres

extension TenantUsage: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(events: row.get(), bytes: row.get())
    }

    /// Looks at the logs that have grown since the last look, at no more than $1 events of each:
    /// so it costs the same however many came. Of two nodes that look at once, the one that sees
    /// more counts.
    static let measure = """
        WITH moved AS MATERIALIZED (
            SELECT h.tenant, h.position, coalesce(u.position, 0) AS since,
                coalesce(u.bytes, 0) AS bytes
            FROM log_head h LEFT JOIN tenant_usage u ON u.tenant = h.tenant
            WHERE h.position > coalesce(u.position, 0)
        )
        INSERT INTO tenant_usage AS u (tenant, position, bytes)
        SELECT m.tenant, m.position, m.bytes + (m.position - m.since) * coalesce((
            SELECT avg(pg_column_size(e.*)) FROM (
                SELECT CASE WHEN m.position - m.since <= $1::int8 THEN m.since + i
                    ELSE m.since + 1 + floor(random() * (m.position - m.since))::int8
                    END AS position
                FROM generate_series(1, least($1::int8, m.position - m.since)) AS i
                OFFSET 0
            ) p CROSS JOIN LATERAL (
                SELECT * FROM event e
                WHERE e.tenant = m.tenant AND e.position = p.position OFFSET 0
            ) e
        ), 0)::int8
        FROM moved m
        ON CONFLICT ON CONSTRAINT tenant_usage_key DO UPDATE SET
            position = excluded.position, bytes = excluded.bytes, measured_at = clock_timestamp()
        WHERE u.position < excluded.position
        """

    /// The log may have grown since; its head says how far.
    static let read = """
        SELECT h.tenant, h.position - coalesce(l.events, 0), coalesce(u.bytes, 0)
        FROM log_head h LEFT JOIN tenant_usage u ON u.tenant = h.tenant
        LEFT JOIN log_dropped l ON l.tenant = h.tenant
        """
}
