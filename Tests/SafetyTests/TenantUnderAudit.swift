import EventLoop
import EventStore
import Postgres
import PostgresStore
import Testing

/// A tenant of a database that a server under test works on, seen past that server.
struct TenantUnderAudit {
    let pool: Pool
    let store: EventStore
    let tenant: Tenant

    init(_ name: String, at url: String) async throws {
        pool = Pool(
            PoolConfiguration(connection: ConnectionConfiguration(url: url)),
            loop: EventLoop(name: "audit"))
        store = EventStore.postgres(pool: pool)
        tenant = try #require(try await store.tenants.all().first { $0.name == name })
    }

    func close() async { await pool.close() }
}
