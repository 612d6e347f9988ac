import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// Of whom an administrator made the owner, by a slip or by what `psql` was logged in as.
@Suite(.timeLimit(.minutes(2)))
struct `The doctor sees whose the tables are` {
    private func answer(
        _ pool: Pool, _ name: String = "roles"
    ) async throws -> DoctorCheck.Answer {
        let scene = DoctorScene(
            pool: pool, visitors: nil, hosts: [], nodes: 1,
            connectionsPerNode: .init(service: 40, visitor: 0), lagSecondsMax: 30,
            now: { .timeOfDay })
        let check = try #require(DatabaseChecks.checks.first { $0.name == name })
        return try await check.look(scene)
    }

    private func findings(_ pool: Pool) async throws -> [Finding] {
        guard case .findings(let found) = try await answer(pool) else { return [] }
        return found.filter { $0.what.contains(" owns ") }
    }

    @Test(arguments: DatabaseUser.allCases)
    func `and that they are one user's after the migrations`(user: DatabaseUser) async throws {
        let database = try await user.database()
        #expect(try await StrayObject.look(database.pool) == [])
        let made = try await database.pool.query(
            """
            SELECT relname::text FROM pg_class
            WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'v', 'm')
            UNION ALL
            SELECT proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace
            """)
        let unknown = try made.map { try $0.get(0, as: String.self) }
            .filter { !Schema.objectNames.contains($0) }
        #expect(unknown == [], "StrayObject goes by these names")
    }

    @Test(arguments: [DatabaseUser.served, .ordinary])
    func `one by one, and its command gives them back`(user: DatabaseUser) async throws {
        let database = try await user.database()
        let tenant = try await database.store.tenants.ensure("shop").id
        _ = try await database.store.log.append(tenant, [Samples.event("1")])
        let administrator = try await database.makeAdministrator()
        let asked = try await administrator.query("SELECT quote_ident(current_user)")
        let owner = try asked[0].text(0)
        for stray in [
            "TABLE decision", "TABLE tenant", "ROUTINE is_late", "ROUTINE note_move()",
        ] {
            _ = try await administrator.query("ALTER \(stray) OWNER TO \(owner)")
        }
        _ = try await administrator.query("CREATE TABLE report (tenant integer)")
        for pool in [database.pool, administrator] {
            let found = try await findings(pool)
            #expect(found.count == 1)
            let what = try #require(found.first).what
            #expect(what.hasPrefix("\(owner) owns decision, tenant, is_late("), "\(what)")
            #expect(what.contains("note_move(), and "), "\(what)")
            #expect(found.first?.remedy.contains("again if it says lock timeout") == true)
        }
        let remedy = try #require(try await findings(database.pool).first).remedy
        // Whom to log in as is not what is wrong.
        guard case .findings(let all) = try await answer(database.pool) else {
            Issue.record("it goes unnoticed")
            return
        }
        #expect(!all.contains { $0.remedy.contains("log in as \(owner)") }, "\(all)")

        try await database.carryOut(remedy, as: administrator)
        #expect(try await findings(database.pool).isEmpty)
        #expect(try await findings(administrator).isEmpty)
        try await Samples.foldAll(database.store)
        await administrator.close()
    }

    /// Who owns it, or may act for its owner, and so misses nothing itself. A role is the whole
    /// server's, so each test has users of its own.
    @Test(arguments: [DatabaseUser.served, .ordinary], [true, false])
    func `also to a login that may use what is astray`(
        user: DatabaseUser, isOwner: Bool
    ) async throws {
        let database = try await user.database()
        let administrator = try await database.makeAdministrator()
        let number = UInt32.random(in: 1...UInt32.max)
        let (owner, member) = ("owner_\(number)", "member_\(number)")
        _ = try await administrator.query("CREATE ROLE \(owner) LOGIN")
        _ = try await administrator.query("CREATE ROLE \(member) LOGIN IN ROLE \(owner)")
        _ = try await administrator.query("ALTER TABLE decision OWNER TO \(owner)")
        let login = TestDatabase.pool(
            database.url.replacing(/user=[^&]*/, with: "user=\(isOwner ? owner : member)"))
        let rightful = try await database.pool.query("SELECT current_user::text")[0].text(0)
        #expect(
            try await StrayObject.look(login) == [
                StrayObject(
                    kind: .table, name: "decision", owner: owner, rightfulOwner: rightful)
            ])
        #expect(try await findings(database.pool).count == 1)
        await login.close()
        let remedy = try #require(try await findings(database.pool).first).remedy
        try await database.carryOut(remedy, as: administrator)
        #expect(try await findings(database.pool).isEmpty)
        _ = try await administrator.query("DROP ROLE \(member), \(owner)")
        await administrator.close()
    }

    /// Which no check of the tables gets past.
    @Test func `even of the one that says which version they are of`() async throws {
        let database = try await TestDatabase.makeAsServed()
        let administrator = try await database.makeAdministrator()
        _ = try await administrator.query("ALTER TABLE islet_migration OWNER TO CURRENT_USER")
        guard case .findings(let schema) = try await answer(database.pool, "schema") else {
            Issue.record("it goes unnoticed")
            return
        }
        #expect(schema.map(\.remedy) == ["do what the check roles says of islet_migration"])
        let found = try #require(try await findings(database.pool).first)
        #expect(found.what.contains(" owns islet_migration, and islet_service the rest"))
        try await database.carryOut(found.remedy, as: administrator)
        #expect(try await answer(database.pool, "schema") == .fine("this program's"))
        await administrator.close()
    }
}
