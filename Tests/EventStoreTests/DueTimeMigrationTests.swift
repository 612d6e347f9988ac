import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

@Test func `a snapshot from before there were due times is one to look at`() async throws {
    let database = try await TestDatabase.makeEmpty()
    let index = try #require(Schema.migrations.firstIndex { $0.name == "projection_rebuild" })
    _ = try await Migrator(Array(Schema.migrations[..<index])).migrate(database.pool)
    let tenant = try await database.store.tenants.ensure("acme").id
    _ = try await database.pool.query(
        """
        INSERT INTO snapshot (tenant, activity_id, kind, version, position, phase, state,
            attributes, content_state, dispatch, updated_at)
        VALUES ($1, 'a', 'Sample', 1, 1, 'live', '{}', '{}', '{}', '{}', now())
        """, [.tenant(tenant)])
    _ = try await EventStore.migrator.migrate(database.pool)
    let due = try await database.store.projections.snapshots(tenant, nil, 10).map(\.dueAt)
    #expect(due == [Samples.time.adding(seconds: -1_700_000_000)])
}
