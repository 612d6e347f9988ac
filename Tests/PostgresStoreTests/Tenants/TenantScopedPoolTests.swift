import Domain
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// The database users that Islet is run as.
enum DatabaseUser: CaseIterable {
    /// As an administrator who tries things out.
    case superuser
    /// As on the private Postgres: the service and a visitor.
    case served
    case memberOfTenantRole
    /// Who may not make roles either, as on many a rented database.
    case ordinary

    func database() async throws -> TestDatabase {
        switch self {
        case .superuser: try await .make()
        case .served: try await .makeAsServed()
        case .memberOfTenantRole: try await .makeForOrdinaryUser(entersTenantRole: true)
        case .ordinary: try await .makeForOrdinaryUser(entersTenantRole: false)
        }
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `The wall between tenants` {
    @Test(arguments: DatabaseUser.allCases)
    func `shows nothing of another tenant, even to SQL that asks for it`(
        user: DatabaseUser
    ) async throws {
        let two = try await TwoTenants.make(user)
        let tables = try await two.database.tenantTables()
        #expect(tables.count >= 11)
        var seen: [String] = []
        for table in tables {
            let all = try await two.pool.query(
                "SELECT 1 FROM \(table.name) WHERE \(table.column) = $1", [.tenant(two.theirs)])
            #expect(!all.isEmpty, "nothing to hide in \(table.name)")
            for question in [
                "WHERE \(table.column) = $1", "WHERE \(table.column) = $1 OR true",
                "WHERE \(table.column) <> $1",
            ] {
                let parameter: Parameter =
                    question.contains("<>") ? .tenant(two.mine) : .tenant(two.theirs)
                let found = try await two.rowsOfTheirs(
                    "SELECT 1 FROM (SELECT * FROM \(table.name) \(question)) x "
                        + "WHERE \(table.column) <> \(two.mine.rawValue)", [parameter])
                #expect((found ?? 0) == 0, "\(table.name) \(question)")
            }
            let own = try await two.rowsOfTheirs("SELECT 1 FROM \(table.name)")
            if (own ?? 0) > 0 { seen.append(table.name) }
        }
        let shown = [
            "event", "snapshot", "decision", "registration", "channel", "channel_listener",
        ]
        #expect(Set(shown).isSubset(of: seen))
        if user != .ordinary {
            let hidden = ["api_key", "app_key", "tenant", "ticket_secret", "webhook_secret"]
            #expect(Set(hidden).isDisjoint(with: seen))
        }
    }

    @Test(arguments: DatabaseUser.allCases)
    func `lets nothing of another tenant be changed`(user: DatabaseUser) async throws {
        let two = try await TwoTenants.make(user)
        let before = try await two.database.contents(of: two.theirs)
        for table in try await two.database.tenantTables() {
            let column = table.column
            let touched = try? await two.rowsOfTheirs(
                "UPDATE \(table.name) SET \(column) = \(column) WHERE \(column) = $1 RETURNING 1",
                [.tenant(two.theirs)])
            #expect((touched ?? 0) == 0, "\(table.name)")
            let removed = try? await two.rowsOfTheirs(
                "DELETE FROM \(table.name) WHERE \(column) = $1 RETURNING 1",
                [.tenant(two.theirs)])
            #expect((removed ?? 0) == 0, "\(table.name)")
        }
        let planted = try await two.rowsOfTheirs(
            """
            INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id)
            VALUES ($1, 'order-1', 'ff', 'sandbox', 'x') RETURNING 1
            """, [.tenant(two.theirs)])
        #expect(planted == nil)
        let taken = try await two.rowsOfTheirs(
            "UPDATE registration SET tenant = $1 RETURNING 1", [.tenant(two.theirs)])
        #expect(taken == nil)
        #expect(try await two.database.contents(of: two.theirs) == before)
    }

    /// Statements of an attacker's, in the middle of a tenant's question.
    static let escapes = [
        "RESET ROLE", "SET ROLE NONE", "SET LOCAL ROLE NONE", "SET SESSION AUTHORIZATION DEFAULT",
        "RESET SESSION AUTHORIZATION", "SELECT set_config('role', 'none', true)",
        "SELECT set_config('role', session_user, false)", "RESET ALL",
    ]
    static let seizures = [
        "SET ROLE islet_service", "SELECT set_config('role', 'islet_service', true)",
        "SET SESSION AUTHORIZATION islet_service", "SET ROLE pg_read_all_data",
        "ALTER ROLE islet_visitor SUPERUSER", "GRANT islet_service TO islet_visitor",
        "ALTER TABLE event DISABLE ROW LEVEL SECURITY", "DROP POLICY tenant_wall ON event",
        "COPY event TO PROGRAM 'cat'", "SELECT pg_read_file('PG_VERSION')",
        "CREATE TABLE mine (tenant integer)", "SELECT lo_import('/etc/passwd')",
    ]

    @Test(arguments: escapes)
    func `stays closed when the question gives its role back`(escape: String) async throws {
        let two = try await TwoTenants.make(.served)
        for table in try await two.database.tenantTables() {
            let asked = [
                Statement(escape),
                Statement(
                    "SELECT 1 FROM \(table.name) WHERE \(table.column) = $1",
                    [.tenant(two.theirs)]),
            ]
            let found: Int
            do throws(PostgresError) {
                found = try await two.tenantPool.batch(as: two.mine, asked).last?.count ?? 0
            } catch {
                #expect(error.sqlState == "42501", "\(error)")
                found = 0
            }
            #expect(found == 0, "\(table.name)")
            // Nothing of it is left for who asks next.
            let next = try await two.tenantPool.query(as: two.mine, "SELECT current_user::text", [])
            #expect(try next.first?.get(0) == "islet_tenant")
        }
        #expect(
            try await two.visitors.query("SELECT session_user::text")[0].get(0) == "islet_visitor")
    }

    @Test func `stays closed when row security is switched off`() async throws {
        let two = try await TwoTenants.make(.served)
        let error = await #expect(throws: PostgresError.self) {
            try await two.tenantPool.batch(
                as: two.mine,
                [Statement("SET LOCAL row_security = off"), Statement("SELECT 1 FROM event")])
        }
        #expect(error?.sqlState == "42501")
    }

    @Test(arguments: seizures, [false, true])
    func `stays closed when the question reaches for more`(
        seizure: String, hasGivenRoleBack: Bool
    ) async throws {
        let two = try await TwoTenants.make(.served)
        let before = try await two.database.contents(of: two.theirs)
        let asked = (hasGivenRoleBack ? [Statement("RESET ROLE")] : []) + [Statement(seizure)]
        let error = await #expect(throws: PostgresError.self) {
            try await two.tenantPool.batch(as: two.mine, asked)
        }
        #expect(["42501", "42704"].contains(error?.sqlState), "\(String(describing: error))")
        #expect(try await two.database.contents(of: two.theirs) == before)
    }

    @Test(arguments: DatabaseUser.allCases)
    func `stands for one round trip, and a failure inside takes it down too`(
        user: DatabaseUser
    ) async throws {
        let two = try await TwoTenants.make(user)
        let state = """
            SELECT count(DISTINCT tenant)::int8, current_setting('role'),
                coalesce(current_setting('islet.tenant', true), '')
            FROM event
            """
        func expectService() async throws {
            let row = try #require(try await two.pool.query(state).first)
            #expect(try row.get(0, as: Int64.self) == 2)
            #expect(try row.get(1, as: String.self) == "none")
            #expect(try row.get(2, as: String.self) == "")
        }
        try await expectService()
        let inside = try await two.tenantPool.query(as: two.mine, state, [])
        #expect(try inside.first?.get(0, as: Int64.self) == 1)
        try await expectService()
        await #expect(throws: PostgresError.self) {
            try await two.tenantPool.query(as: two.mine, "SELECT 1 / 0", [])
        }
        try await expectService()
    }

    @Test(arguments: DatabaseUser.allCases)
    func `surrounds every table that has tenants' rows`(user: DatabaseUser) async throws {
        let database = try await user.database()
        let rows = try await database.pool.query(
            """
            SELECT c.relname::text FROM pg_class c
            WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
                AND NOT c.relispartition
                AND c.relname NOT IN ('islet_migration', 'tenant_access', 'log_identity', 'cell')
                AND NOT (c.relrowsecurity AND c.relforcerowsecurity = $1 AND EXISTS (
                    SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'tenant_wall'
                ))
            """, [.bool(user == .ordinary)])
        let bare = try rows.map { try $0.get(0, as: String.self) }
        #expect(bare == [], "call raise_tenant_walls() in the migration that makes the table")
    }

    /// One line for it, whatever rights the user has.
    @Test(arguments: [DatabaseUser.superuser, .served, .memberOfTenantRole])
    func `lets a new table be read, written or left alone as it says`(
        user: DatabaseUser
    ) async throws {
        let database = try await user.database()
        for table in ["plain", "written", "hidden"] {
            _ = try await database.pool.query("CREATE TABLE \(table) (tenant integer)")
        }
        _ = try await database.pool.query(
            "INSERT INTO tenant_access VALUES ('written', 'write'), ('hidden', 'none')")
        _ = try await database.pool.query("SELECT raise_tenant_walls()::text")
        let rows = try await database.pool.query(
            """
            SELECT string_agg(c.relname || ' ' || p, ', ' ORDER BY c.relname DESC, p)
            FROM pg_class c, unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[]) AS p
            WHERE c.relname IN ('plain', 'written', 'hidden', 'registration', 'api_key')
                AND has_table_privilege('islet_tenant', c.oid, p)
            """)
        let allowed = try rows.first?.get(0, as: String.self)
        #expect(
            allowed == "written INSERT, written SELECT, written UPDATE, registration INSERT, "
                + "registration SELECT, registration UPDATE, plain SELECT")
    }

    @Test func `moves to the role when an administrator makes it later`() async throws {
        // A role is the whole server's: other tests have databases of other users.
        let user = "promoted_user"
        let two = try await TwoTenants.make(
            .ordinary, in: try await .makeForOrdinaryUser(entersTenantRole: false, named: user))
        let server = try await TestDatabase.makeEmpty()
        try await server.pool.withConnection { (connection) async throws(PostgresError) in
            try await connection.script("GRANT islet_tenant TO \(user)")
        }
        _ = try await two.pool.query("SELECT raise_tenant_walls()::text")
        let row = try await two.tenantPool.query(
            as: two.mine, "SELECT current_user::text, count(*) FROM event", [])
        #expect(try row.first?.get(0, as: String.self) == "islet_tenant")
        #expect(try row.first?.get(1, as: Int.self) == 2)
    }
}
