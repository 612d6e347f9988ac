import Postgres

/// Whether Postgres cleans up after changes and knows how many rows there are.
public enum VacuumCheck {
    static let check = DoctorCheck("vacuum") { (scene) async throws(PostgresError) in
        let server = try await scene.pool.query(settings).row(with: "autovacuum")
        let tables = try await scene.pool.query(tables).decoded { (row) throws(PostgresError) in
            Table(
                name: try row.text(0), living: try row.get(1), dead: try row.get(2),
                isAnalyzed: try row.bool(3))
        }
        let findings = findings(
            isOn: try server.bool(0), try await horizon(scene.pool), tables)
        return .init(findings, fine: "runs, and the statistics are there")
    }

    public struct Table: Hashable, Sendable {
        public var name: String
        public var living: Int64
        public var dead: Int64
        public var isAnalyzed: Bool
    }

    /// The database that makes the server take no more writes first.
    public struct Horizon: Hashable, Sendable {
        public var database: String
        /// Ids that are left until then, of transactions or of rows that several of them lock.
        public var idsLeft: Int64
        public var areOfLocks: Bool
    }

    static func horizon(_ pool: Pool) async throws(PostgresError) -> Horizon {
        let row = try await pool.query(oldest).row(with: "datname")
        return Horizon(
            database: try row.text(0), idsLeft: try row.get(1), areOfLocks: try row.bool(2))
    }

    public static func findings(
        isOn: Bool, _ horizon: Horizon, _ tables: [Table]
    ) -> [Finding] {
        var findings: [Finding] = []
        if !isOn {
            findings.append(
                Finding(
                    what: "autovacuum or track_counts is off",
                    meaning: "Tables and indexes grow without end, and in the end Postgres takes "
                        + "no more writes.",
                    remedy: "psql -c 'ALTER SYSTEM SET autovacuum = on' -c 'ALTER SYSTEM SET "
                        + "track_counts = on' -c 'SELECT pg_reload_conf()'"))
        }
        if horizon.idsLeft < idsMin {
            let ids = horizon.areOfLocks ? "ids of shared locks" : "transactions"
            findings.append(
                Finding(
                    what: "\(amount(horizon.idsLeft)) \(ids) are left before Postgres takes no "
                        + "more writes, in any database; \(horizon.database) is the oldest",
                    meaning: "Something keeps vacuum from cleaning up: an old transaction, a "
                        + "prepared one, or a replication slot that nobody reads.",
                    remedy: freezing))
        }
        for table in tables where table.dead > deadMin && table.dead > table.living {
            findings.append(
                Finding(
                    what: "\(table.name) has \(table.dead) dead rows beside \(table.living)",
                    meaning: "Questions about it read what is gone, and it takes up room.",
                    remedy: "psql -c 'VACUUM (ANALYZE) \(table.name)'; if it comes back, psql -c "
                        + "'ALTER TABLE \(table.name) SET (autovacuum_vacuum_scale_factor = 0.05)'"
                ))
        }
        let unknown = tables.filter { !$0.isAnalyzed && $0.living > analyzedMin }.map(\.name)
        if !unknown.isEmpty {
            findings.append(
                Finding(
                    what: "Postgres has no statistics of \(unknown.joined(separator: ", "))",
                    meaning: "It plans as if they were small, and questions may take very long.",
                    remedy: "as after each restore and pg_upgrade: psql -c ANALYZE"))
        }
        return findings
    }

    /// Also where Postgres takes no more writes: vacuum needs no ids.
    static let freezing =
        "as an administrator: psql -c 'SELECT * FROM pg_replication_slots' -c "
        + "'SELECT * FROM pg_prepared_xacts' -c 'SELECT pid, datname, xact_start, backend_xmin "
        + "FROM pg_stat_activity ORDER BY age(backend_xmin) DESC NULLS LAST'; end what is old, "
        + "of all databases, then vacuumdb --all --freeze; template0, which it leaves out, "
        + "Postgres vacuums by itself some minutes later"

    private static func amount(_ ids: Int64) -> String {
        ids < 1_000_000 ? "\(max(0, ids))" : "\(ids / 1_000_000) million"
    }

    private static let idsMin: Int64 = 500_000_000
    /// Fewer are cleaned up with the next hundred thousand.
    private static let deadMin: Int64 = 100_000
    private static let analyzedMin: Int64 = 10_000

    private static let settings = """
        SELECT current_setting('autovacuum') = 'on' AND current_setting('track_counts') = 'on'
        """

    /// Half of all ids lie ahead of the oldest, and Postgres stops when three million are left
    /// (src/backend/access/transam/varsup.c and multixact.c).
    private static let oldest = """
        SELECT d.datname, 2147483647 - 3000000 - greatest(o.age, o.lock_age)::int8,
            o.lock_age > o.age
        FROM pg_database d
        CROSS JOIN LATERAL (
            SELECT age(d.datfrozenxid), mxid_age(d.datminmxid)
        ) o (age, lock_age)
        ORDER BY 2, d.datname LIMIT 1
        """

    private static let tables = """
        SELECT s.relname, s.n_live_tup, s.n_dead_tup,
            coalesce(s.last_analyze, s.last_autoanalyze) IS NOT NULL
        FROM pg_stat_user_tables s WHERE s.schemaname = current_schema() ORDER BY s.relname
        """
}
