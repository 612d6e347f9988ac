import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

@Test func `a snapshot that was stored without a due time is one to look at`() async throws {
    let database = try await TestDatabase.make()
    let tenant = try await database.store.tenants.ensure("acme").id
    _ = try await database.pool.query(
        """
        INSERT INTO snapshot (tenant, activity_id, kind, version, position, phase, state,
            attributes, content_state, dispatch, updated_at)
        VALUES ($1, 'a', 'Sample', 1, 1, 'live', '{}', '{}', '{}', '{}', now())
        """, [.tenant(tenant)])
    let due = try await database.store.snapshots(of: tenant).map(\.dueAt)
    #expect(due == [Samples.time.adding(seconds: -1_700_000_000)])
}
