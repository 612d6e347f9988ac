@testable import Postgres
import TestSupport
import Testing

struct ConnectionBudgetTests {
    @Test func `what fits beside the others fits`() {
        let budget = ConnectionBudget(serverMax: 100, reserved: 3, othersOpen: 60)
        #expect(budget.verdict(wanting: 37) == .fits)
        guard case .tight(let sum) = budget.verdict(wanting: 38) else {
            Issue.record("38 of 37 fit")
            return
        }
        #expect(sum.contains("38") && sum.contains("60") && sum.contains("leaves 37"))
    }

    @Test func `a role's and a database's limit count as well, but not for superusers`() {
        var budget = ConnectionBudget(
            serverMax: 100, reserved: 3, roleMax: 20, databaseMax: 50, othersOpen: 0)
        #expect(budget.verdict(wanting: 20) == .fits)
        guard case .tooMuch(let sum) = budget.verdict(wanting: 21) else {
            Issue.record("21 of 20 fit")
            return
        }
        #expect(sum.contains("role") && sum.contains("20"))
        budget.roleMax = nil
        #expect(budget.verdict(wanting: 50) == .fits)
        #expect(budget.verdict(wanting: 51) != .fits)
        budget.isSuperuser = true
        #expect(budget.verdict(wanting: 100) == .fits)
    }

    @Test func `the server says what it has, and one's own connections are not others'`()
        async throws
    {
        let database = try await TestDatabase.makeEmpty()
        let pool = database.makePool()
        let budget = try await ConnectionBudget.read(pool)
        #expect(budget.serverMax == 2_000)
        #expect(budget.reserved == 3)
        #expect(budget.isSuperuser)
        #expect(budget.databaseMax == nil)
        #expect(budget.databaseOthersOpen == 0)
        await pool.close()
    }

    @Test func `when no connection is left the error says so after a few attempts`() async throws {
        let database = try await TestDatabase.makeForOrdinaryUser(entersTenantRole: false)
        let name = try #require(
            try await database.pool.query("SELECT current_database()::text").first)
        let limit = "ALTER DATABASE \(try name.get(0, as: String.self)) CONNECTION LIMIT 1"
        _ = try await database.pool.query(limit)
        let pool = database.makePool(connectionsMax: 2, acquireTimeoutSeconds: 1)
        let error = await #expect(throws: PostgresError.self) {
            try await pool.query("SELECT 1")
        }
        guard case .notAdmitted(let serverError)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(serverError.sqlState == SQLState.tooManyConnections)
        await database.pool.close()
        // It was tried again all the while.
        #expect(try await pool.query("SELECT 1::int4")[0].get(0) == Int32(1))
        await pool.close()
    }
}
