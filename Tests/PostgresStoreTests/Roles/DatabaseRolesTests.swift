import Domain
import EventStore
import Foundation
import Postgres
import PostgresStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct `The roles of a private Postgres` {
    private static let settings = ["fsync": "off", "shared_buffers": "16MB"]
    private static let strangers = """
        SELECT relname::text FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND pg_get_userbyid(relowner) <> 'islet_service'
        UNION ALL
        SELECT proname::text FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace AND pg_get_userbyid(proowner) <> 'islet_service'
        """

    /// Who may make temporary tables, or anything in the schema.
    private static let makers = """
        SELECT r.name FROM (VALUES ('islet_service'), ('islet_tenant'), ('islet_visitor')) r (name)
        WHERE has_database_privilege(r.name, current_database(), 'TEMPORARY')
            OR has_schema_privilege(r.name, 'public', 'CREATE')
        """

    private func pool(_ url: String) -> Pool {
        Pool(
            PoolConfiguration(connection: ConnectionConfiguration(url: url), connectionsMax: 2),
            loop: TestDatabase.loop)
    }

    /// One of an older version, whose server was the superuser.
    @Test func `take over what an older version has made, and keep its log`() async throws {
        let directory = TestServer.temporaryDirectory()
        let old = try await PrivatePostgres.start(
            dataDirectory: directory, settings: Self.settings)
        try TestServer.cleanUpAfterThisProcess(old, directory)
        let administrator = pool(old.url)
        _ = try await EventStore.migrator.migrate(administrator)
        // As a cluster of before Postgres 15 has it that was upgraded.
        _ = try await administrator.query("GRANT CREATE ON SCHEMA public TO PUBLIC")
        // As where somebody took the owner's rights, who still has those of everybody.
        _ = try await administrator.query(
            "REVOKE TEMPORARY ON DATABASE postgres FROM CURRENT_USER")
        let store = EventStore.postgres(pool: administrator)
        let tenant = try await store.tenants.ensure("pizzeria").id
        _ = try await store.log.append(tenant, [Samples.event("1")])
        #expect(try await !administrator.query(Self.strangers).isEmpty)
        try await old.stop()

        for _ in 1...2 {
            let server = try await PrivatePostgres.start(
                dataDirectory: directory, settings: Self.settings, setup: DatabaseRoles.setup)
            #expect(try await administrator.query(Self.strangers).isEmpty)
            let service = pool(server.url(as: DatabaseRoles.service))
            let visitors = pool(server.url(as: DatabaseRoles.visitor))
            #expect(try await EventStore.migrator.migrate(service).isEmpty)
            let row = try await service.query(
                "SELECT rolsuper OR rolbypassrls OR rolcreaterole FROM pg_roles "
                    + "WHERE rolname = session_user")
            #expect(try row[0].get(0, as: Bool.self) == false)
            let seesAge = try await service.query(
                "SELECT pg_has_role(session_user, 'pg_read_all_stats', 'USAGE')")
            #expect(try seesAge[0].get(0, as: Bool.self))
            let makes = try await service.query(Self.makers)
            #expect(try makes.map { try $0.get(0, as: String.self) } == ["islet_service"])
            let now = EventStore.postgres(pool: service, visitors: visitors)
            let id = "after-\(server.wasRunning)"
            _ = try await now.log.append(tenant, [Samples.event(id)])
            _ = try await service.query("SELECT raise_tenant_walls()::text")
            await service.close()
            await visitors.close()
        }
        #expect(
            try await administrator.query("SELECT count(*) FROM event")[0].get(0, as: Int.self) == 3
        )
        await administrator.close()
        try await old.stop()
    }

    /// As where everybody may make things in the schema. As the owner it would show all keys.
    @Test func `take over nothing that a visitor has left, and no other routine of its owner's`()
        async throws
    {
        let database = try await TestDatabase.make()
        func script(_ pool: Pool, _ sql: String) async throws {
            try await pool.withConnection { (connection) async throws(PostgresError) in
                try await connection.script(sql)
            }
        }
        try await script(database.pool, DatabaseRoles.setup)
        try await script(
            database.pool,
            """
            GRANT CREATE ON SCHEMA public TO PUBLIC;
            CREATE FUNCTION count_keys() RETURNS bigint LANGUAGE sql SECURITY DEFINER
                AS 'SELECT count(*) FROM api_key';
            CREATE TABLE late (n integer)
            """)
        let visitors = database.makeVisitors()
        try await script(
            visitors,
            """
            CREATE FUNCTION peep() RETURNS bigint LANGUAGE sql SECURITY DEFINER
                AS 'SELECT count(*) FROM api_key';
            CREATE VIEW peephole AS SELECT * FROM api_key;
            CREATE TYPE lure AS ENUM ('1')
            """)
        try await script(database.pool, DatabaseRoles.setup)
        let left = try await database.pool.query(Self.strangers)
        #expect(
            Set(try left.map { try $0.get(0, as: String.self) }) == [
                "count_keys", "peep", "peephole",
            ])
        for look in ["SELECT peep()", "SELECT count(*) FROM peephole"] {
            let error = await #expect(throws: PostgresError.self) {
                _ = try await visitors.query(look)
            }
            #expect(error?.sqlState == "42501", "\(look)")
        }
        await visitors.close()
    }

    /// What a migrator of another database does meanwhile: it ends once the other one waits for it.
    private static let otherMigrator = """
        CREATE ROLE islet_tenant NOLOGIN;
        GRANT islet_tenant TO CURRENT_USER;
        DO $$ BEGIN
            WHILE NOT EXISTS (SELECT FROM pg_locks WHERE NOT granted) LOOP
                PERFORM pg_sleep(0.01);
            END LOOP;
        END $$
        """

    @Test func `can be made for two databases of one server at the same moment`() async throws {
        let directory = TestServer.temporaryDirectory()
        let server = try await PrivatePostgres.start(
            dataDirectory: directory, settings: Self.settings)
        try TestServer.cleanUpAfterThisProcess(server, directory)
        let administrator = pool(server.url)
        // For whom the walls are not closed without the role.
        for sql in [
            "CREATE ROLE cook LOGIN CREATEROLE BYPASSRLS", "CREATE DATABASE orders OWNER cook",
        ] {
            try await administrator.withConnection { (connection) async throws(PostgresError) in
                try await connection.script(sql)
            }
        }
        let cook = pool(server.url(as: "cook").replacing("///postgres?", with: "///orders?"))
        let other = Task {
            try await cook.withConnection { (connection) async throws(PostgresError) in
                try await connection.script(Self.otherMigrator, timeout: .seconds(120))
            }
        }
        try await waitUntil("the other one has made the role") {
            let asleep = try await administrator.query(
                "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep')")
            return try asleep[0].get(0, as: Bool.self)
        }
        #expect(try await EventStore.migrator.migrate(cook).count > 100)
        try await other.value
        let role = try await cook.query("SELECT tenant_role()")
        #expect(try role[0].get(0, as: String.self) == "islet_tenant")
        await cook.close()
        await administrator.close()
        try await server.stop()
    }

    @Test func `are refused to a user that bears one of their names`() async throws {
        let database = try await TestDatabase.makeAsServed()
        let error = await #expect(throws: PostgresError.self) {
            try await database.pool.withConnection { (connection) async throws(PostgresError) in
                try await connection.script(DatabaseRoles.setup)
            }
        }
        #expect(error?.sqlState == "42501")
    }
}
