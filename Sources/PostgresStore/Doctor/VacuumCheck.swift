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
            isOn: try server.bool(0), transactionsLeft: try server.get(1), tables)
        return .init(findings, fine: "runs, and the statistics are there")
    }

    public struct Table: Hashable, Sendable {
        public var name: String
        public var living: Int64
        public var dead: Int64
        public var isAnalyzed: Bool
    }

    /// - Parameter transactionsLeft: until Postgres takes no more writes.
    public static func findings(
        isOn: Bool, transactionsLeft: Int64, _ tables: [Table]
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
        if transactionsLeft < transactionsMin {
            findings.append(
                Finding(
                    what: "\(transactionsLeft / 1_000_000) million transactions are left before "
                        + "Postgres takes no more writes",
                    meaning: "Something keeps vacuum from cleaning up: an old transaction, a "
                        + "prepared one, or a replication slot that nobody reads.",
                    remedy: "psql -c 'SELECT * FROM pg_replication_slots' -c 'SELECT * FROM "
                        + "pg_prepared_xacts'; end what is old, then vacuumdb --freeze"))
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

    private static let transactionsMin: Int64 = 500_000_000
    /// Fewer are cleaned up with the next hundred thousand.
    private static let deadMin: Int64 = 100_000
    private static let analyzedMin: Int64 = 10_000

    private static let settings = """
        SELECT current_setting('autovacuum') = 'on' AND current_setting('track_counts') = 'on',
            2147483648 - age(d.datfrozenxid)::int8
        FROM pg_database d WHERE d.datname = current_database()
        """

    private static let tables = """
        SELECT s.relname, s.n_live_tup, s.n_dead_tup,
            coalesce(s.last_analyze, s.last_autoanalyze) IS NOT NULL
        FROM pg_stat_user_tables s WHERE s.schemaname = current_schema() ORDER BY s.relname
        """
}
