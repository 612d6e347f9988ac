import Postgres
import TestSupport
import Testing

/// What repairs walls while nodes work.
@Suite(.timeLimit(.minutes(2)))
struct `Walls that are raised again` {
    private static let locks = """
        SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'relation'
            AND mode <> 'AccessShareLock'
        """

    private func locksOfRaising(_ database: TestDatabase) async throws -> Int {
        try await database.pool.withTransaction { (connection) async throws(PostgresError) in
            _ = try await connection.query("SELECT raise_tenant_walls()::text")
            return try await connection.query(Self.locks).row(with: "pg_locks").get(0)
        }
    }

    @Test(arguments: DatabaseUser.allCases)
    func `lock no table that is complete`(user: DatabaseUser) async throws {
        let database = try await user.database()
        #expect(try await locksOfRaising(database) == 0)
    }

    @Test func `lock no table that lacks privileges alone`() async throws {
        let database = try await TestDatabase.makeAsServed()
        _ = try await database.pool.query(
            "REVOKE ALL ON ALL TABLES IN SCHEMA public FROM islet_tenant")
        let lacking = """
            SELECT count(*) FROM pg_class WHERE relname IN ('event', 'registration')
                AND NOT has_table_privilege('islet_tenant', oid, 'SELECT')
            """
        #expect(try await database.pool.query(lacking)[0].get(0, as: Int.self) == 2)
        // Catalogs are locked by what changes them.
        let tables = """
            SELECT count(*) FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
            WHERE l.pid = pg_backend_pid() AND l.mode <> 'AccessShareLock'
                AND c.relnamespace = 'public'::regnamespace
            """
        try await database.pool.withTransaction { (connection) async throws(PostgresError) in
            _ = try await connection.query("SELECT raise_tenant_walls()::text")
            let locked: Int = try await connection.query(tables).row(with: "pg_locks").get(0)
            #expect(locked == 0)
        }
        #expect(try await database.pool.query(lacking)[0].get(0, as: Int.self) == 0)
    }

    /// The one that is in use is given up after a moment, and what was done before stays.
    @Test func `wait for one table with no other one locked`() async throws {
        let database = try await TestDatabase.makeAsServed()
        let forced = "SELECT relname::text FROM pg_class WHERE relforcerowsecurity ORDER BY 1"
        for table in ["channel", "event", "snapshot"] {
            _ = try await database.pool.query("ALTER TABLE \(table) FORCE ROW LEVEL SECURITY")
        }
        func mend() async throws {
            try await database.pool.withConnection { (connection) async throws(PostgresError) in
                try await connection.script("CALL mend_tenant_walls()")
            }
        }
        try await database.makePool().withTransaction {
            (connection) async throws(PostgresError) in
            _ = try await connection.query("SELECT FROM event")
            let error = await #expect(throws: PostgresError.self) { try await mend() }
            #expect(error?.sqlState == "55P03", "\(String(describing: error))")
        }
        let left = try await database.pool.query(forced).map { try $0.get(0, as: String.self) }
        #expect(left == ["event", "snapshot"])
        try await mend()
        #expect(try await database.pool.query(forced).isEmpty)
    }

    /// Tenants' requests would see all rows of what was opened before it was walled.
    @Test func `let tenants read no table before it has its wall`() async throws {
        let database = try await TestDatabase.makeAsServed()
        for change in [
            "REVOKE ALL ON event, log_head, snapshot FROM islet_tenant",
            "ALTER TABLE event FORCE ROW LEVEL SECURITY",
            "ALTER TABLE snapshot DISABLE ROW LEVEL SECURITY",
        ] { _ = try await database.pool.query(change) }
        func readable() async throws -> [String] {
            try await database.pool.query(
                """
                SELECT relname::text FROM pg_class
                WHERE relnamespace = 'public'::regnamespace
                    AND relname IN ('event', 'log_head', 'snapshot')
                    AND has_table_privilege('islet_tenant', oid, 'SELECT')
                ORDER BY 1
                """
            ).map { try $0.get(0, as: String.self) }
        }
        func mend() async throws {
            try await database.pool.withConnection { (connection) async throws(PostgresError) in
                try await connection.script("CALL mend_tenant_walls()")
            }
        }
        try await database.makePool().withTransaction {
            (connection) async throws(PostgresError) in
            _ = try await connection.query("SELECT FROM event")
            await #expect(throws: PostgresError.self) { try await mend() }
        }
        #expect(try await readable() == ["event", "log_head"])
        try await mend()
        #expect(try await readable() == ["event", "log_head", "snapshot"])
        let walled = "SELECT relrowsecurity FROM pg_class WHERE oid = 'snapshot'::regclass"
        #expect(try await database.pool.query(walled)[0].bool(0))
    }
}
