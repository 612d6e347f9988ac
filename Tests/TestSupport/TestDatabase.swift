public import EventLoop
public import EventStore
public import Postgres

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
    public static func make() async throws -> TestDatabase { try await make(migrated: true) }

    /// A database without any table.
    public static func makeEmpty() async throws -> TestDatabase {
        try await make(migrated: false)
    }

    /// A migrated database that belongs to a user of its own who is nothing special.
    /// - Parameter entersTenantRole: whether an administrator made the user a member of the role
    ///   that walls tenants off; it may not do so itself.
    public static func makeForOrdinaryUser(entersTenantRole: Bool) async throws -> TestDatabase {
        // Its migrations made the role.
        _ = try await make()
        let empty = try await makeEmpty()
        let found = try await empty.pool.query("SELECT current_database()::text").first
        let name = try found?.get(0, as: String.self) ?? ""
        let user = "user_of_\(name)"
        let grant = entersTenantRole ? "GRANT islet_tenant TO \(user)" : ""
        try await empty.pool.withConnection { (connection) async throws(PostgresError) in
            try await connection.script(
                "CREATE ROLE \(user) LOGIN; ALTER DATABASE \(name) OWNER TO \(user); \(grant)")
        }
        await empty.pool.close()
        let url = empty.url.replacing(/user=[^&]*/, with: "user=\(user)")
        let ownPool = pool(url, 4, 20)
        _ = try await EventStore.migrator.migrate(ownPool)
        return TestDatabase(url: url, pool: ownPool, store: .postgres(pool: ownPool))
    }

    /// Another pool on the same database, as another node would have.
    public func makePool(connectionsMax: Int = 4, acquireTimeoutSeconds: Double = 20) -> Pool {
        Self.pool(url, connectionsMax, acquireTimeoutSeconds)
    }

    private static func make(migrated: Bool) async throws -> TestDatabase {
        let server = try await TestServer.shared.server()
        let administration = pool(server.url, 1, 60)
        let name = try await TestServer.shared.makeDatabase(migrated: migrated) { sql in
            try await administration.withConnection {
                (connection) async throws(PostgresError) in try await connection.script(sql)
            }
        }
        await administration.close()
        let url = server.url.replacing("///postgres?", with: "///\(name)?")
        let ownPool = pool(url, 4, 20)
        return TestDatabase(url: url, pool: ownPool, store: .postgres(pool: ownPool))
    }

    static func makeTemplate() async throws -> String {
        let empty = try await makeEmpty()
        _ = try await EventStore.migrator.migrate(empty.pool)
        let name = try await empty.pool.query("SELECT current_database()::text").first?
            .get(0, as: String.self)
        await empty.pool.close()
        return name ?? ""
    }

    private static func pool(
        _ url: String, _ connectionsMax: Int, _ acquireTimeoutSeconds: Double
    ) -> Pool {
        Pool(
            PoolConfiguration(
                connection: ConnectionConfiguration(url: url, applicationName: "islet tests"),
                connectionsMax: connectionsMax, acquireTimeoutSeconds: acquireTimeoutSeconds),
            loop: loop)
    }
}
