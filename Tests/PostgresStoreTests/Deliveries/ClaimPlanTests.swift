import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// The planner has looked when nothing waited, as it mostly does, and must not go through all that
/// waits later on.
struct `However much waits` {
    private static let keys = "'{1}', '{order-1}'"
    private static let plannedFreely = [
        ClaimQueries.stamp, ClaimQueries.lockFound, ClaimQueries.look, ClaimQueries.nextDue,
    ]

    @Test(
        arguments: [
            (ClaimQueries.decisions, keys), (ClaimQueries.newestPending, keys),
            (ClaimQueries.stamp, "NULL, \(keys), 'a'"),
            (ClaimQueries.lockHinted, "NULL, \(keys), 'a'"),
            (ClaimQueries.lockFound, "NULL, \(keys), 'a'"),
            (
                ClaimQueries.complete,
                "\(keys), '{1}', '{1}', '{1}', '{1}', '{1}', '{0}', '{now}', '{0}', '{0}'"
            ),
        ])
    func `what is pending of an activity is found by its key`(
        _ sql: String, _ arguments: String
    ) async throws {
        let plan = try await plan(of: sql, arguments)
        let places = plan.indices.filter { plan[$0].contains("pending_decision_key") }
        #expect(!places.isEmpty)
        for place in places {
            let condition = plan[min(place + 1, plan.count - 1)]
            #expect(condition.contains("Index Cond: ((tenant = "))
            #expect(condition.contains("activity_id = "))
        }
    }

    @Test(arguments: [ClaimQueries.stamp, ClaimQueries.lockFound])
    func `phones that are owed something are found by that`(_ sql: String) async throws {
        let plan = try await plan(of: sql, "NULL, \(Self.keys), 'a'")
        #expect(plan.contains { $0.contains("registration_owed") })
        #expect(!plan.contains { $0.contains("registration_token_is_unique") })
    }

    @Test(arguments: [
        (ClaimQueries.nextDue, keys), (ClaimQueries.look, "NULL, \(keys), 16, 100"),
    ])
    func `when an activity was last sent to is found by its key`(
        _ sql: String, _ arguments: String
    ) async throws {
        let plan = try await plan(of: sql, arguments).joined(separator: "\n")
        #expect(plan.contains("Index Scan using delivery_state_key"))
        #expect(!plan.contains("Seq Scan on delivery_state"))
    }

    /// A join may compare each of all that waits with each of ten thousand keys.
    @Test(arguments: [
        (ClaimQueries.nextDue, keys), (ClaimQueries.look, "NULL, \(keys), 16, 100"),
    ])
    func `keys that a node owns are left out by their hash`(
        _ sql: String, _ arguments: String
    ) async throws {
        let plan = try await plan(of: sql, arguments)
        let places = plan.indices.filter { plan[$0].contains("Function Scan on h") }
        #expect(!places.isEmpty)
        for place in places { #expect(plan[place - 1].contains("SubPlan")) }
        #expect(plan.contains { $0.contains("hashed SubPlan") })
    }

    @Test func `an activity's snapshot is found by its key`() async throws {
        let plan = try await plan(
            of: ClaimQueries.snapshots, "\(Self.keys), NULL"
        ).joined(separator: "\n")
        #expect(plan.contains("snapshot_key"))
        #expect(!plan.contains("snapshot_by_position"))
    }

    /// As a sender's connection has it, of a database in which nothing has happened yet. What
    /// comes after a look is planned freely.
    private func plan(of sql: String, _ arguments: String) async throws -> [String] {
        let database = try await TestDatabase.make()
        let session = try await database.pool.openDedicated()
        if !Self.plannedFreely.contains(sql) {
            try await session.script(Statement.fewRowsSettings)
        }
        try await session.script("PREPARE asked AS \(sql)")
        let rows = try await session.query("EXPLAIN EXECUTE asked (\(arguments))")
        await session.close()
        return try rows.map { try $0.get(0, as: String.self) }
    }
}
