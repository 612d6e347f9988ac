import Domain
@testable import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

struct LedgerCensusTests {
    private func census(_ rows: [(activity: String, version: Int64)]) -> LedgerCensus {
        var census = LedgerCensus()
        for row in rows { census.add(ActivityID(rawValue: row.activity), row.version) }
        return census
    }

    @Test func `a text's hash is the one that Postgres has`() async throws {
        let database = try await TestDatabase.makeEmpty()
        // Of all lengths around the twelve bytes that are taken at once.
        let whole = "order-1ö34567 Zürich, Straße 9 / abcdefghij"
        let texts = (0...whole.count).map { String(whole.prefix($0)) }
        let seeds: [Int64] = [0, 1, 20, 1 << 40, -7]
        let rows = try await database.pool.query(
            """
            SELECT t, s, hashtextextended(t, s) FROM unnest($1::text[]) t, unnest($2::int8[]) s
            """, [.texts(texts), .int8s(seeds)])
        #expect(rows.count == texts.count * seeds.count)
        for row in rows {
            let (text, seed) = (try row.text(0), try row.int8(1))
            let hash = PostgresHash.extended(text, seed: seed)
            let theirs = UInt64(bitPattern: try row.int8(2))
            #expect(hash == theirs, "\(text) with \(seed)")
        }
    }

    @Test func `rows are the same in any order and from any share`() {
        let rows: [(String, Int64)] = [("a", 1), ("a", 2), ("b", 1)]
        var shared = census([rows[2]])
        shared.add(census(Array(rows[..<2])))
        #expect(shared == census(rows))
        #expect(shared.rows == 3)
    }

    @Test func `one row that replaces another is seen`() {
        let rows: [(String, Int64)] = [("a", 1), ("a", 2), ("b", 1)]
        #expect(census(rows) != census([("a", 1), ("a", 3), ("b", 1)]))
        #expect(census(rows) != census([("a", 1), ("b", 2), ("b", 1)]))
        #expect(census(rows) != census([("a", 1), ("a", 2)]))
    }
}
