import Domain
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// Questions that dashboards ask every few seconds go along indexes, in a database in which nothing
/// has happened yet, as plans are made.
struct `What the board asks` {
    private static let questions: [(sql: String, arguments: String, indexes: [String])] = [
        (
            BoardQueries.search, "1, 'order', '{ada}', 300",
            ["snapshot_key", "activity_word_key", "snapshot_by_position"]
        ),
        (
            BoardQueries.deliveryProgress, "1, '{order-1}'",
            ["decision_key", "registration_living", "registration_unserved"]
        ),
        (BoardQueries.living, "1, 'order-1', 0, 50", ["registration_living"]),
        (BoardQueries.gone, "1, 'order-1'", ["registration_unserved"]),
        (BoardQueries.blocked, "1, 1000", ["snapshot_faulted"]),
        (BoardQueries.late, "1, now()", ["snapshot_open"]),
        (BoardQueries.beginnings, "1", ["decision_key"]),
    ]

    @Test(arguments: questions)
    func `goes along its indexes`(
        _ question: (sql: String, arguments: String, indexes: [String])
    ) async throws {
        let database = try await TestDatabase.make()
        let session = try await database.pool.openDedicated()
        try await session.script("SET plan_cache_mode = force_generic_plan")
        try await session.script("BEGIN; \(TenantScopedPool.alongIndexes.sql)")
        try await session.script("PREPARE asked AS \(question.sql)")
        let rows = try await session.query("EXPLAIN EXECUTE asked (\(question.arguments))")
        await session.close()
        let plan = try rows.map { try $0.get(0, as: String.self) }
        let text = plan.joined(separator: "\n")
        for index in question.indexes {
            let place = try #require(
                plan.firstIndex { $0.contains("using \(index) ") }, "\(index):\n\(text)")
            #expect(
                plan[place + 1].contains("Index Cond: ((tenant = ") || index == "decision_key",
                "\(text)")
        }
        #expect(!text.contains("Seq Scan on"), "\(text)")
    }
}
