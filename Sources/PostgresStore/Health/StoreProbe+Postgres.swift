import EventStore
import Postgres

extension StoreProbe {
    /// Not on the appender's connection: the probe waits where an append would, and no append is to
    /// wait behind it.
    static func postgres(_ pool: Pool, _ projections: any ProjectionStore) -> StoreProbe {
        var probe = StoreProbe()
        probe.append = { () async throws(EventStoreError) in
            try await withStoreErrors { () async throws(PostgresError) in
                try await pool.withConnection { (connection) async throws(PostgresError) in
                    try await appendInVain(connection)
                    _ = try await connection.batch([word], timeout: patience)
                }
            }
        }
        probe.fold = { () async throws(EventStoreError) in
            _ = try await projections.foldNext(nil, 0) { _ in
                preconditionFailure("a fold of no events")
            }
        }
        return probe
    }

    private static let patience = Duration.seconds(Limits.probeSecondsMax)

    private static func appendInVain(
        _ connection: Connection
    ) async throws(PostgresError) {
        // A tenant that nobody else sees and that no real one can be: ids of those are positive.
        // Another at each time, so that two nodes do not wait for each other.
        let tenant = -Int32.random(in: 1 ... .max)
        // The pool closes a connection that comes back inside a transaction that failed.
        _ = try await connection.batch(
            [Statement("BEGIN")] + room + [
                Statement(
                    "INSERT INTO tenant (id, name) OVERRIDING SYSTEM VALUE VALUES ($1, $2)",
                    [.int4(tenant), .text("islet probe \(tenant)")]),
                Statement("INSERT INTO log_head (tenant) VALUES ($1)", [.int4(tenant)]),
                Statement(appending, [.int4(tenant)]),
                Statement("ROLLBACK"),
            ], timeout: patience)
    }

    private static let appending = """
        SELECT outcomes FROM append_events(
            ARRAY[1], ARRAY[$1::integer], ARRAY['probe'], ARRAY['/islet'], ARRAY['probe'],
            ARRAY['Probe'], ARRAY[1], ARRAY[clock_timestamp()], ARRAY['{}'::jsonb],
            ARRAY[NULL::bigint])
        """

    /// A message for nobody: its commit is written and waited for like any other.
    static let word = Statement("SELECT pg_logical_emit_message(true, 'islet', '')")

    /// Takes a megabyte of the disk for a moment. When that is full, a little one still finds room
    /// in pages that are there, and what is really to be written finds none.
    static let room = [
        Statement("SELECT set_config('work_mem', '64kB', true)"),
        Statement("SELECT count(*) FROM generate_series(1, 100000)"),
    ]
}
