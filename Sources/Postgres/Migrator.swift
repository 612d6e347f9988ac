/// Brings a database to the program's schema.
public struct Migrator: Sendable {
    private let migrations: [Migration]

    /// - Precondition: numbers are 1, 2, 3 …
    public init(_ migrations: [Migration]) {
        precondition(
            migrations.map(\.number) == Array(1..<(migrations.count + 1)),
            "migrations are not numbered 1, 2, 3 …")
        self.migrations = migrations
    }

    /// Applies what is missing, all in one transaction under a lock: a second migrator waits and
    /// then finds nothing to do.
    /// - Returns: the migrations applied now, in order.
    public func migrate(_ pool: Pool) async throws(PostgresError) -> [Migration] {
        do throws(PostgresError) { return try await applyMissing(pool) } catch {
            // Roles belong to the whole server: one that another database's migrator was about to
            // make could neither be made nor be entered by this one. By now it is there.
            guard error.sqlState == SQLState.insufficientPrivilege else { throw error }
            return try await applyMissing(pool)
        }
    }

    private func applyMissing(_ pool: Pool) async throws(PostgresError) -> [Migration] {
        try await pool.withTransaction { (connection) async throws(PostgresError) in
            // Until the commit, and gone with the connection. Any fixed number will do.
            let patience = Duration.seconds(Limits.migrationSecondsMax)
            try await connection.script("SET LOCAL statement_timeout = 0")
            _ = try await connection.query(
                "SELECT pg_advisory_xact_lock($1)", [.int8(Self.lockKey)], timeout: patience)
            try await Self.requireNoOtherTables(connection)
            try await connection.script(Self.createTable)
            let missing = try missing(from: try await Self.applied(connection))
            for migration in missing {
                try await connection.script(migration.sql, timeout: patience)
                _ = try await connection.query(
                    "INSERT INTO islet_migration (number, name, checksum) VALUES ($1, $2, $3)",
                    [
                        .int4(Int32(migration.number)), .text(migration.name),
                        .text(migration.checksum),
                    ])
            }
            return missing
        }
    }

    /// Throws unless the database has exactly the program's migrations. Changes nothing.
    public func check(_ pool: Pool) async throws(PostgresError) {
        let applied = try await pool.withConnection { (connection) async throws(PostgresError) in
            do throws(PostgresError) {
                return try await Self.applied(connection)
            } catch {
                guard error.sqlState == SQLState.undefinedTable else { throw error }
                try await Self.requireNoOtherTables(connection)
                return []
            }
        }
        let missing = try missing(from: applied)
        guard missing.isEmpty else {
            throw .migration(
                .databaseIsOlder(database: applied.count, program: migrations.count))
        }
    }

    private struct Applied {
        var number: Int
        var name: String
        var checksum: String
    }

    private static let lockKey: Int64 = 0x6973_6c65_7400

    private static let createTable = """
        CREATE TABLE IF NOT EXISTS islet_migration (
            number integer PRIMARY KEY,
            name text NOT NULL,
            checksum text NOT NULL,
            applied_at timestamptz NOT NULL DEFAULT clock_timestamp()
        )
        """

    /// Beside tables that were made elsewhere a second, empty log would begin. A user who names the
    /// schema wants that.
    private static func requireNoOtherTables(
        _ connection: Connection
    ) async throws(PostgresError) {
        let found = try await connection.query(
            otherTables, [.text(ConnectionHandle.searchPath)])
        if let schema: String = try found.first?.get(0) { throw .migration(.otherSchema(schema)) }
    }

    private static let otherTables = """
        SELECT quote_ident(n.nspname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relname = 'islet_migration' AND c.relkind = 'r'
            AND to_regclass('islet_migration') IS NULL AND current_setting('search_path') = $1
        ORDER BY 1 LIMIT 1
        """

    private static func applied(
        _ connection: Connection
    ) async throws(PostgresError) -> [Applied] {
        let rows = try await connection.query(
            "SELECT number, name, checksum FROM islet_migration ORDER BY number")
        return try rows.map { (row) throws(PostgresError) in
            Applied(number: try row.get(0), name: try row.get(1), checksum: try row.get(2))
        }
    }

    private func missing(from applied: [Applied]) throws(PostgresError) -> [Migration] {
        // First: such a database may also have more migrations, and no newer program fits it.
        for (migration, known) in zip(migrations, applied) where known.name != migration.name {
            throw .migration(
                .otherHistory(
                    number: migration.number, database: known.name, program: migration.name))
        }
        if let newest = applied.last, newest.number > migrations.count {
            throw .migration(
                .databaseIsNewer(database: newest.number, program: migrations.count))
        }
        for (migration, known) in zip(migrations, applied)
        where known.checksum != migration.checksum {
            throw .migration(.changed(number: migration.number, name: migration.name))
        }
        return Array(migrations.dropFirst(applied.count))
    }
}
