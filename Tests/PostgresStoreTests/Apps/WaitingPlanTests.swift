import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// Every node asks every few seconds, and there may be ten thousand tenants.
@Test func `tenants whose phones wait for no app are not gone through`() async throws {
    let database = try await TestDatabase.make()
    let rows = try await database.pool.query("EXPLAIN \(AppQueries.deferred)")
    let plan = try rows.map { try $0.get(0, as: String.self) }
    #expect(plan.contains { $0.contains("WorkTable Scan on waiting") })
    #expect(!plan.contains { $0.contains(" on tenant ") }, "\(plan.joined(separator: "\n"))")
}
