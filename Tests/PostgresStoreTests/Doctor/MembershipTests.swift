import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// A role is the whole server's, so each test has users of its own.
@Suite(.timeLimit(.minutes(2)))
struct `The doctor sees a user who cannot become the tenants' role` {
    private func findings(
        _ database: TestDatabase, _ visitors: Pool?
    ) async throws -> [Finding] {
        let scene = DoctorScene(
            pool: database.pool, visitors: visitors, hosts: [], nodes: 1,
            connectionsPerNode: .init(service: 40, visitor: 16), lagSecondsMax: 30,
            now: { .timeOfDay })
        let check = try #require(DatabaseChecks.checks.first { $0.name == "walls" })
        guard case .findings(let found) = try await check.look(scene) else { return [] }
        return found
    }

    /// And asks as that user: neither the doctor's own nor the owner of the tables.
    @Test func `for what tenants ask, whom its command lets in`() async throws {
        let database = try await TestDatabase.makeAsServed()
        let administrator = try await TestDatabase.makeEmpty()
        let guest = "guest_\(UInt32.random(in: 1...UInt32.max))"
        _ = try await administrator.pool.query("CREATE ROLE \(guest) LOGIN NOINHERIT")
        let visitors = TestDatabase.pool(
            database.url.replacing(/user=[^&]*/, with: "user=\(guest)"))
        let tenant = try await database.store.tenants.ensure("shop").id
        let asked = TenantScopedPool(pool: database.pool, visitors: visitors)
        await #expect(throws: PostgresError.self) {
            _ = try await asked.query(as: tenant, "SELECT FROM event", [])
        }
        let found = try await findings(database, visitors)
        #expect(found.map(\.what) == ["\(guest) is no member of islet_tenant"])
        #expect(found.first?.meaning.contains("500") == true)
        #expect(try await TenantWalls.look(database.pool, visitors: visitors).hideRows)
        #expect(try await findings(database, nil) == [])

        try await database.carryOut(try #require(found.first).remedy, as: administrator.pool)
        #expect(try await findings(database, visitors) == [])
        _ = try await asked.query(as: tenant, "SELECT FROM event", [])
        await visitors.close()
        _ = try await administrator.pool.query("DROP ROLE \(guest)")
    }

    @Test func `for what the service does, although a visitor asks for tenants`() async throws {
        // Which makes the visitor.
        _ = try await TestDatabase.makeAsServed()
        let cook = "cook_\(UInt32.random(in: 1...UInt32.max))"
        let database = try await TestDatabase.makeForOrdinaryUser(
            entersTenantRole: true, named: cook)
        let administrator = try await TestDatabase.makeEmpty()
        let visitors = database.makeVisitors()
        #expect(try await findings(database, visitors) == [])
        _ = try await administrator.pool.query("REVOKE islet_tenant FROM \(cook)")
        let alone = try await findings(database, nil)
        #expect(alone.map(\.what) == ["\(cook) is no member of islet_tenant"])
        #expect(alone.first?.meaning.hasPrefix("Tenants' requests run as it") == true)
        let behind = try await findings(database, visitors)
        #expect(behind.map(\.what) == alone.map(\.what))
        #expect(behind.first?.meaning.hasPrefix("The next migration") == true)
        try await database.carryOut(try #require(behind.first).remedy, as: administrator.pool)
        #expect(try await findings(database, visitors) == [])
        await visitors.close()
    }
}
