public import EventLoop
public import EventStore
public import Postgres
import PostgresStore

/// A database of a test's own on the shared server, gone with the process.
public struct TestDatabase: Sendable {
    /// One loop carries the connections of all tests.
    public static let loop = EventLoop(name: "tests")

    /// Connection URL.
    public let url: String
    /// With few connections; more come with `makePool`.
    public let pool: Pool
    /// A store on `pool`.
    public let store: EventStore

    /// A migrated database.
    public static func make() async throws -> TestDatabase { try await make(from: .migrated) }

    /// A database without any table.
    public static func makeEmpty() async throws -> TestDatabase { try await make(from: nil) }

    /// A migrated database that belongs to a user who is nothing special.
    /// - Parameters:
    ///   - entersTenantRole: whether an administrator made the user a member of the role that walls
    ///     tenants off; it may not do so itself.
    ///   - name: of the user, who may have other databases on the same server.
    public static func makeForOrdinaryUser(
        entersTenantRole: Bool, named name: String? = nil
    ) async throws -> TestDatabase {
        let name = name ?? (entersTenantRole ? "member_user" : "ordinary_user")
        return try await make(
            from: .migratedByOrdinaryUser(name, entersTenantRole: entersTenantRole))
    }

    /// A migrated database with the roles of a private Postgres; the store asks what tenants ask
    /// as a visitor.
    public static func makeAsServed() async throws -> TestDatabase {
        let made = try await make(from: .migratedByService)
        return TestDatabase(
            url: made.url, pool: made.pool,
            store: .postgres(pool: made.pool, visitors: made.makeVisitors()))
    }

    /// A pool of the user that logs in for what tenants ask, where there is such a user.
    public func makeVisitors(connectionsMax: Int = 2) -> Pool {
        Self.pool(Self.url(of: url, DatabaseRoles.visitor), connectionsMax, 20)
    }

    /// Another pool on the same database, as another node would have.
    public func makePool(connectionsMax: Int = 4, acquireTimeoutSeconds: Double = 20) -> Pool {
        Self.pool(url, connectionsMax, acquireTimeoutSeconds)
    }

    /// One whose sessions find no room for more than some pages, as on a disk that is full.
    public func makePoolWithoutRoom() async throws -> Pool {
        let found = try await pool.query("SELECT quote_ident(current_database())")
        let name = try found.first?.get(0, as: String.self) ?? ""
        _ = try await pool.query("ALTER DATABASE \(name) SET temp_file_limit = '100kB'")
        return makePool()
    }

    /// As every database is before somebody runs `roles.sql` in it.
    public func letAllMakeTemporaryTables() async throws {
        try await pool.withConnection { (connection) async throws(PostgresError) in
            try await connection.script(
                """
                DO $$ BEGIN
                    EXECUTE format('GRANT TEMPORARY ON DATABASE %I TO PUBLIC', current_database());
                END $$
                """)
        }
    }

    private static func make(from template: TestServer.Template?) async throws -> TestDatabase {
        let server = try await TestServer.shared.server()
        let administration = pool(server.url, 1, 60)
        let name = try await TestServer.shared.makeDatabase(template) { sql in
            try await administration.withConnection {
                (connection) async throws(PostgresError) in try await connection.script(sql)
            }
        }
        await administration.close()
        let url = url(
            of: server.url.replacing("///postgres?", with: "///\(name)?"), template?.owner)
        let ownPool = pool(url, 4, 20)
        let database = TestDatabase(url: url, pool: ownPool, store: .postgres(pool: ownPool))
        // A copy of a database is held until somebody says that it is no copy.
        if template != nil {
            _ = try await database.store.identity.accept(
                LogAcceptance(isComplete: true, aheadSeconds: 0))
        }
        return database
    }

    /// - Returns: the name of a database that nobody is connected to.
    static func make(_ template: TestServer.Template) async throws -> String {
        // Whose migrations make the role that an ordinary user may be made a member of.
        if template != .migrated { _ = try await make() }
        let empty = try await makeEmpty()
        let found = try await empty.pool.query("SELECT current_database()::text").first
        let name = try found?.get(0, as: String.self) ?? ""
        if let owner = template.owner {
            let grant =
                if case .migratedByOrdinaryUser(_, entersTenantRole: true) = template {
                    "GRANT islet_tenant TO \(owner)"
                } else { "" }
            let making =
                "CREATE ROLE \(owner) LOGIN; ALTER DATABASE \(name) OWNER TO \(owner); \(grant)"
            let sql = template == .migratedByService ? DatabaseRoles.setup : making
            try await empty.pool.withConnection { (connection) async throws(PostgresError) in
                try await connection.script(sql)
            }
        }
        await empty.pool.close()
        let ownPool = pool(url(of: empty.url, template.owner), 1, 20)
        _ = try await EventStore.migrator.migrate(ownPool)
        await ownPool.close()
        return name
    }

    private static func url(of url: String, _ user: String?) -> String {
        user.map { url.replacing(/user=[^&]*/, with: "user=\($0)") } ?? url
    }

    /// A pool on any database.
    public static func pool(
        _ url: String, _ connectionsMax: Int = 4, _ acquireTimeoutSeconds: Double = 5
    ) -> Pool {
        let pool = Pool(
            PoolConfiguration(
                connection: ConnectionConfiguration(url: url, applicationName: "islet tests"),
                connectionsMax: connectionsMax, acquireTimeoutSeconds: acquireTimeoutSeconds),
            loop: loop)
        TestServer.note(pool)
        return pool
    }
}
