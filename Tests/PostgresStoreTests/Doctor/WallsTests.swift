import Domain
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// Rows that are there, and that nobody is shown.
@Suite(.timeLimit(.minutes(2)))
struct `The doctor sees the walls` {
    private func findings(
        _ database: TestDatabase, _ name: String = "walls"
    ) async throws -> [Finding] {
        let scene = DoctorScene(
            pool: database.pool, visitors: nil, hosts: [], nodes: 1,
            connectionsPerNode: .init(service: 40, visitor: 0), lagSecondsMax: 30,
            now: { .timeOfDay })
        let check = try #require(DatabaseChecks.checks.first(where: { $0.name == name }))
        guard case .findings(let found) = try await check.look(scene) else { return [] }
        return found
    }

    @Test(arguments: DatabaseUser.allCases)
    func `stand as they were raised, whatever rights the user has`(
        user: DatabaseUser
    ) async throws {
        let database = try await user.database()
        let walls = try await TenantWalls.look(database.pool)
        #expect(walls.gaps == [])
        #expect(walls.hasRole == (user != .ordinary))
    }

    @Test func `without the part that lets a tenant see its rows, or their owner`() async throws {
        let served = try await TestDatabase.makeAsServed()
        _ = try await served.pool.query("DROP POLICY tenant_wall ON snapshot")
        _ = try await served.pool.query("ALTER TABLE event FORCE ROW LEVEL SECURITY")
        let hidden = try await findings(served)
        #expect(hidden.map(\.what) == ["row-level security hides rows of event, snapshot"])
        #expect(hidden.first?.meaning.contains("restore no backup") == true)
        #expect(hidden.first?.remedy.contains("CALL mend_tenant_walls()") == true)
        #expect(try await TenantWalls.look(served.pool).hideRows)
        _ = try await served.pool.query("SELECT raise_tenant_walls()::text")
        #expect(try await findings(served) == [])

        let ordinary = try await DatabaseUser.ordinary.database()
        _ = try await ordinary.pool.query("DROP POLICY owner_passes ON event")
        #expect(
            try await findings(ordinary).first?.what == "row-level security hides rows of event"
        )
        // As after `pg_restore --no-owner`, or after roles.sql has given the tables another owner.
        _ = try await ordinary.pool.query("SELECT raise_tenant_walls()::text")
        _ = try await ordinary.pool.query("ALTER POLICY owner_passes ON event TO pg_monitor")
        #expect(
            try await findings(ordinary).first?.what == "row-level security hides rows of event"
        )
    }

    private struct Fault: Sendable {
        var change: String
        var isOpen = false
        var isHiding = false
    }

    private static let faults = [
        Fault(
            change: "ALTER POLICY tenant_wall ON event USING (false)", isOpen: true,
            isHiding: true),
        Fault(
            change: "ALTER POLICY tenant_wall ON event USING (true)", isOpen: true, isHiding: true),
        Fault(
            change: "ALTER POLICY tenant_wall ON event WITH CHECK (true)", isOpen: true,
            isHiding: true),
        Fault(
            change: "CREATE POLICY evil ON event AS RESTRICTIVE USING (position < 100)",
            isHiding: true),
        Fault(change: "CREATE POLICY \"wide 'un\" ON event USING (true)", isOpen: true),
    ]

    /// Whose names alone say nothing. The command that the doctor prints mends each.
    @Test(arguments: [DatabaseUser.served, .ordinary])
    func `with policies that raise_tenant_walls() does not make`(
        user: DatabaseUser
    ) async throws {
        let database = try await user.database()
        let before = try await findings(database)
        for fault in Self.faults {
            _ = try await database.pool.query(fault.change)
            let walls = try await TenantWalls.look(database.pool)
            #expect(walls.gaps.map(\.table) == ["event"], "\(fault.change)")
            #expect(walls.gaps.first?.isOpen == fault.isOpen, "\(fault.change)")
            #expect(walls.gaps.first?.isHiding == fault.isHiding, "\(fault.change)")
            #expect(walls.hideRows == fault.isHiding, "\(fault.change)")

            let remedy = try #require(try await findings(database).first?.remedy)
            #expect(remedy.contains("again if it says lock timeout: psql -c '"))
            try await database.carryOut(remedy)
            #expect(try await findings(database) == before, "\(fault.change)")
        }
    }

    @Test func `with policies for others alone`() async throws {
        let served = try await TestDatabase.makeAsServed()
        _ = try await served.pool.query("CREATE POLICY report ON event TO pg_monitor USING (true)")
        _ = try await served.pool.query(
            "CREATE POLICY narrow ON event AS RESTRICTIVE TO pg_monitor USING (false)")
        #expect(try await findings(served).isEmpty)
        #expect(try await !TenantWalls.look(served.pool).hideRows)
    }

    @Test func `and waits for nobody who has locked a table`() async throws {
        let served = try await TestDatabase.makeAsServed()
        try await served.makePool().withConnection { (connection) async throws(PostgresError) in
            try await connection.script("BEGIN; LOCK TABLE event IN ACCESS EXCLUSIVE MODE")
            let walls = try await TenantWalls.look(served.pool)
            #expect(walls.gaps == [])
        }
    }

    /// Which nothing hides, and which keeps no command from its work.
    @Test func `around Islet's tables, and none around somebody's copy of one`() async throws {
        let database = try await TestDatabase.makeAsServed()
        _ = try await database.pool.query("CREATE TABLE event_copy AS TABLE event")
        let walls = try await TenantWalls.look(database.pool)
        #expect(walls.gaps.map(\.table) == ["event_copy"])
        #expect(walls.gaps.first?.isOpen == true)
        #expect(!walls.hideRows)
    }

    /// As after `pg_restore --no-owner` by one who is no member of the role.
    @Test func `of a role that the user may not become`() async throws {
        let database = try await DatabaseUser.ordinary.database()
        for change in [
            "CREATE OR REPLACE FUNCTION tenant_role() RETURNS text LANGUAGE sql STABLE "
                + "AS $$ SELECT 'islet_tenant'::text $$",
            "GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO islet_tenant",
        ] { _ = try await database.pool.query(change) }
        let walls = try await TenantWalls.look(database.pool)
        #expect(walls.hasRole && walls.hideRows)
        #expect(walls.gaps.allSatisfy { !$0.isRefused })
        #expect(walls.outsiders.map(\.name) == ["ordinary_user"])
        #expect(walls.outsiders.map(\.asksForTenants) == [true])
        _ = try await database.pool.query("SELECT raise_tenant_walls()::text")
        #expect(try await TenantWalls.look(database.pool) == TenantWalls(hasRole: false))
    }

    /// As `pg_restore --no-privileges` leaves them.
    @Test func `without privileges, as after a restore`() async throws {
        let database = try await TestDatabase.makeAsServed()
        _ = try await database.pool.query(
            "REVOKE ALL ON ALL TABLES IN SCHEMA public FROM islet_tenant")
        let found = try await findings(database)
        #expect(found.count == 1)
        let what = try #require(found.first).what
        #expect(what.hasPrefix("tenants' requests lack privileges on activity_audience, "))
        #expect(what.contains(#/ and \d+ more$/#), "\(what)")
        _ = try await database.pool.query("SELECT raise_tenant_walls()::text")
        #expect(try await findings(database) == [])
        // Which they may also write.
        _ = try await database.pool.query("REVOKE UPDATE ON registration FROM islet_tenant")
        #expect(
            try await findings(database).map(\.what) == [
                "tenants' requests lack privileges on registration"
            ])
    }

    @Test func `and privileges that the owner itself lacks, which its command gives back`()
        async throws
    {
        let database = try await TestDatabase.makeAsServed()
        _ = try await database.pool.query("REVOKE ALL ON event FROM islet_service")
        let found = try await findings(database)
        #expect(found.map(\.what) == ["islet_service lacks privileges on its own tables: event"])
        let grant = /psql -c '(.*)'$/
        let remedy = try #require(found.first?.remedy.firstMatch(of: grant)?.1)
        _ = try await database.pool.query(String(remedy))
        #expect(try await findings(database) == [])

        _ = try await database.pool.query(
            "REVOKE ALL ON ALL TABLES IN SCHEMA public FROM islet_service")
        let schema = try await findings(database, "schema")
        #expect(schema.first?.what.hasPrefix("islet_service may not see which version") == true)
        let other = try #require(schema.first?.remedy.firstMatch(of: grant)?.1)
        _ = try await database.pool.query(String(other))
        #expect(try await findings(database, "schema") == [])
        // What names the others can be read again too.
        let others = try await findings(database)
        #expect(others.count == 1)
        #expect(others.first?.what.hasSuffix(" more") == true)
    }
}
