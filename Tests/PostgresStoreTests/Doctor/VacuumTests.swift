import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// What Postgres cleans up, and when it takes no more writes.
struct `The doctor looks at vacuum` {
    private func horizon(_ idsLeft: Int64, areOfLocks: Bool = false) -> VacuumCheck.Horizon {
        VacuumCheck.Horizon(database: "template1", idsLeft: idsLeft, areOfLocks: areOfLocks)
    }

    @Test func `for tables that need it, or statistics`() {
        func table(_ living: Int64, _ dead: Int64, _ isAnalyzed: Bool = true) -> VacuumCheck.Table {
            VacuumCheck.Table(name: "event", living: living, dead: dead, isAnalyzed: isAnalyzed)
        }
        func findings(_ table: VacuumCheck.Table) -> [String] {
            VacuumCheck.findings(isOn: true, horizon(2_000_000_000), [table]).map(\.what)
        }
        #expect(findings(table(1_000_000, 900_000)) == [])
        #expect(findings(table(1_000, 90_000)) == [])
        #expect(findings(table(100_000, 200_000)) == ["event has 200000 dead rows beside 100000"])
        #expect(findings(table(100_000, 0, false)) == ["Postgres has no statistics of event"])
        #expect(VacuumCheck.findings(isOn: false, horizon(400_000_000), []).count == 2)
    }

    @Test(
        arguments: [
            (400_000_000, false, "400 million transactions are left"),
            (999_999, false, "999999 transactions are left"),
            (-5, false, "0 transactions are left"),
            (7_000_000, true, "7 million ids of shared locks"),
        ] as [(Int64, Bool, String)])
    func `and names the database that is the oldest of the server`(
        idsLeft: Int64, areOfLocks: Bool, words: String
    ) {
        let found = VacuumCheck.findings(
            isOn: true, horizon(idsLeft, areOfLocks: areOfLocks), [])
        #expect(found.count == 1)
        #expect(found.first?.what.hasPrefix(words) == true, "\(found)")
        #expect(found.first?.what.hasSuffix("template1 is the oldest") == true)
        #expect(found.first?.remedy.contains("vacuumdb --all --freeze") == true)
    }

    /// Of other databases, and as near as Postgres lets it come: three million are never given out.
    @Test func `in all databases of the server`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let row = try #require(
            try await database.pool.query(
                """
                SELECT 2144483647 - max(greatest(age(datfrozenxid), mxid_age(datminmxid)))::int8
                FROM pg_database
                """
            ).first)
        let left: Int64 = try row.get(0)
        let horizon = try await VacuumCheck.horizon(database.pool)
        // Other tests go on meanwhile.
        #expect(abs(horizon.idsLeft - left) < 100_000)
        let found = try await database.pool.query(
            "SELECT FROM pg_database WHERE datname = $1", [.text(horizon.database)])
        #expect(found.count == 1)
    }
}
