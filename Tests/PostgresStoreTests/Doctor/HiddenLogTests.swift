import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// To restore a backup over rows that are only hidden would destroy what came since.
@Suite(.timeLimit(.minutes(2)))
struct `A log whose rows are hidden` {
    private func answer(_ database: TestDatabase) async throws -> DoctorCheck.Answer {
        let scene = DoctorScene(
            pool: database.pool, visitors: nil, hosts: [], nodes: 1,
            connectionsPerNode: .init(service: 40, visitor: 0), lagSecondsMax: 30,
            now: { .timeOfDay })
        let check = try #require(DatabaseChecks.checks.first { $0.name == "log" })
        return try await check.look(scene)
    }

    static let changes: [(DatabaseUser, String)] = [
        (.served, "ALTER TABLE event OWNER TO CURRENT_USER"),
        (.served, "ALTER TABLE event FORCE ROW LEVEL SECURITY"),
        (.served, "REVOKE ALL ON event FROM islet_service, islet_tenant"),
        (.ordinary, "DROP POLICY owner_passes ON event"),
        (.ordinary, "ALTER POLICY owner_passes ON event TO pg_monitor"),
        (.ordinary, "CREATE POLICY narrow ON event AS RESTRICTIVE USING (false)"),
        (.ordinary, "ALTER TABLE event OWNER TO CURRENT_USER"),
    ]

    @Test(arguments: changes)
    func `is called neither whole nor broken`(user: DatabaseUser, change: String) async throws {
        let database = try await user.database()
        let tenant = try await database.store.tenants.ensure("shop").id
        _ = try await database.store.log.append(tenant, [Samples.event("1")])
        let identity = database.store.identity
        #expect(try await identity.inconsistencies() == [])
        #expect(try await answer(database) == .fine("epoch 1, not held"))
        let administrator = try await database.makeAdministrator()
        _ = try await administrator.query(change)
        #expect(try await TenantWalls.look(database.pool).hiddenLog == ["event"])
        guard case .findings(let found) = try await answer(database) else {
            Issue.record("it goes unnoticed")
            return
        }
        #expect(found.map(\.what) == [LogExplanation.hidden(["event"])])
        #expect(found.first?.what.contains("restore no backup") == true)
        #expect(found.first?.remedy.contains("restore") == false)
        let error = await #expect(throws: EventStoreError.self) {
            try await identity.inconsistencies()
        }
        guard case .failed("42501", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        // Whom nothing is hidden from sees that all is there.
        let store = EventStore.postgres(pool: administrator)
        #expect(try await store.identity.inconsistencies() == [])
        await administrator.close()
    }
}
