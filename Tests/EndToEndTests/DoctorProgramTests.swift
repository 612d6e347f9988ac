import Domain
import EventLoop
import EventStore
import Foundation
import Glibc
import Postgres
import TLS
import TestSupport
import Testing

/// `islet doctor` on a real Postgres, with faults made on purpose.
@Suite(.timeLimit(.minutes(5)))
struct `The doctor` {
    private func run(
        _ database: TestDatabase, _ words: [String] = [], in directory: ScratchDirectory
    ) async throws -> IsletProgram.Result {
        try await IsletProgram.run(
            ["doctor", "--database-url", database.url, "--database-visitor", "islet_visitor"]
                + words, in: directory)
    }

    /// Of which something was found, in what `--json` prints.
    private func faulty(_ result: IsletProgram.Result) throws -> [String] {
        struct Document: Decodable {
            struct Check: Decodable {
                var name: String
                var status: String
            }
            var checks: [Check]
        }
        let document = try JSONDecoder().decode(Document.self, from: Data(result.output.utf8))
        return document.checks.filter { $0.status != "fine" }.map(\.name)
    }

    /// The tests' own Postgres does without the disk, which the doctor finds.
    @Test func `finds nothing else in a deployment that is well`() async throws {
        let database = try await TestDatabase.makeAsServed()
        try await ScratchDirectory.with { directory in
            let result = try await run(database, in: directory)
            #expect(result.code == 1, "\(result.output)\(result.errors)")
            #expect(result.output.contains("ok    hosts"))
            #expect(result.output.contains("is the primary"))
            #expect(result.output.contains("FAULT durability"))
            #expect(result.output.contains("fsync is off"))
            let json = try await run(database, ["--json"], in: directory)
            #expect(try faulty(json) == ["durability"])
        }
    }

    @Test func `names tables without walls, indexes that are not whole, and statistics`()
        async throws
    {
        let database = try await TestDatabase.makeAsServed()
        _ = try await database.pool.query("ALTER TABLE snapshot DISABLE ROW LEVEL SECURITY")
        try await ScratchDirectory.with { directory in
            let result = try await run(database, in: directory)
            #expect(result.code == 1)
            #expect(result.output.contains("row-level security does not protect snapshot"))
            #expect(result.output.contains("CALL mend_tenant_walls()"))
        }
    }

    @Test func `gives remedies that lead to a private Postgres`() async throws {
        try await ScratchDirectory.with { directory in
            let store = ["--data-dir", directory.data]
            try await RunningServer.with(store, in: directory) { _ in
                let result = try await IsletProgram.run(
                    ["doctor", "--nodes", "50"] + store, in: directory)
                #expect(result.code == 1, "\(result.output)\(result.errors)")
                let remedy = /Remedy: +(.*psql -h .* postgres) -c 'ALTER SYSTEM SET max_conn/
                let words = try #require(result.output.firstMatch(of: remedy)?.1, "\(result)")
                let program = try await IsletProgram.start(
                    program: ["sh", "-c", "\(words) -tAc 'SELECT 6 * 7'"], in: directory)
                let asked = await program.result()
                #expect(asked.output == "42\n", "\(asked)")
            }
        }
    }

    @Test func `names a certificate that has expired, and one that it cannot read`() async throws {
        let database = try await TestDatabase.makeAsServed()
        try await ScratchDirectory.with { directory in
            func look(_ pem: String) async throws -> IsletProgram.Result {
                let file = directory.file("certificate")
                try Data(pem.utf8).write(to: URL(filePath: file))
                return try await run(database, ["--tls-certificate", file], in: directory)
            }
            let old = try await look(
                SelfSignedAuthority.make(hosts: ["127.0.0.1"], isExpired: true).certificatePEM)
            #expect(old.output.contains("FAULT certificate"), "\(old.output)\(old.errors)")
            #expect(old.output.contains("has expired"))
            let good = try await look(
                SelfSignedAuthority.make(hosts: ["127.0.0.1"]).certificatePEM)
            #expect(good.output.contains(#/ok +certificate +ends in [0-9]+ days/#))
            let none = try await look("nothing")
            #expect(none.output.contains("is no certificate"), "\(none.output)")
        }
    }

    @Test func `tries keys with a push to no one, and names those that APNs refuses`() async throws
    {
        let database = try await TestDatabase.makeAsServed()
        try await ScratchDirectory.with { directory in
            let simulator = try await IsletProgram.start(
                [
                    "simulate", "--apns-port", "0", "--management-port", "0", "--control-port", "0",
                    "--credentials-dir", directory.path,
                ], in: directory)
            let port = /pushes=(https:\/\/127\.0\.0\.1:\d+)/
            try await waitUntil("the simulator listens") {
                simulator.errors.contains(port) || simulator.output.contains(port)
                    || simulator.isOver
            }
            let said = simulator.errors + simulator.output
            let url = try #require(said.firstMatch(of: port)?.1, "\(said)")
            func ask(_ team: String, _ url: String) async throws -> IsletProgram.Result {
                try await run(
                    database,
                    [
                        "--apns-url", url, "--apns-key-file", directory.file("AuthKey.p8"),
                        "--apns-key-id", "SIMULATED1", "--apns-team-id", team,
                        "--apns-authority-file", directory.file("authority.pem"),
                    ], in: directory)
            }
            let good = try await ask("SIMULATED0", String(url))
            #expect(good.output.contains("takes each key from here (2 pushes"), "\(good.output)")
            let refused = try await ask("OTHERTEAM0", String(url))
            #expect(
                refused.output.contains(
                    "APNs refuses the key SIMULATED1 in sandbox: InvalidProviderToken"),
                "\(refused.output)")
            let away = try await ask("SIMULATED0", "https://127.0.0.1:9")
            #expect(away.output.contains("APNs does not answer for the key SIMULATED1"))
            #expect(away.output.contains("see that https://127.0.0.1:9 runs"), "\(away.output)")
            let stranger = try SelfSignedAuthority.make(hosts: ["127.0.0.1"]).certificatePEM
            try Data(stranger.utf8).write(to: URL(filePath: directory.file("authority.pem")))
            let unknown = try await ask("SIMULATED0", String(url))
            #expect(unknown.output.contains("TLS: certificate refused"), "\(unknown.output)")
            #expect(unknown.output.contains("--apns-authority-file for a simulator"))
            #expect(!away.output.contains("api.push.apple.com"))
            #expect(!unknown.output.contains("api.push.apple.com"))
            await simulator.child.send(signal: SIGTERM)
            _ = await simulator.result()
        }
    }

    @Test func `names what stops a tenant, too few connections, parked events and a clock`()
        async throws
    {
        let database = try await TestDatabase.makeAsServed()
        let tenant = try await database.store.tenants.ensure("shop").id
        try await database.recordOrder(of: tenant)
        let name = try await database.pool.query("SELECT current_database()::text").first?
            .get(0, as: String.self)
        _ = try await database.pool.query(
            "ALTER DATABASE \(try #require(name)) CONNECTION LIMIT 100")
        let lock = database.makePool(connectionsMax: 1)
        try await ScratchDirectory.with { directory in
            try await lock.withConnection { (connection) async throws(PostgresError) in
                try await connection.script("BEGIN; SELECT FROM projection_checkpoint FOR UPDATE")
                await faults(database, directory)
                try await connection.script("ROLLBACK")
            }
        }
        await lock.close()
    }

    private func faults(_ database: TestDatabase, _ directory: ScratchDirectory) async {
        do {
            try await Task.sleep(for: .seconds(6))
            let result = try await run(
                database, ["--nodes", "3", "--lag-seconds-max", "1"], in: directory)
            #expect(result.code == 1, "\(result.output)\(result.errors)")
            #expect(result.output.contains("the log of shop stands still: 1 event waits"))
            #expect(result.output.contains("SELECT pg_terminate_backend("))
            #expect(result.output.contains("may have 100 connections, and 3 nodes may open"))
            #expect(!result.output.contains("could not look"), "\(result.output)")
        } catch { Issue.record(error) }
    }

    @Test func `names users who may do too much, an older schema, and parked events`()
        async throws
    {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("shop").id
        _ = try await database.pool.query(
            """
            WITH blocked AS (INSERT INTO snapshot (tenant, activity_id, kind, version, position,
                phase, updated_at, fault)
                VALUES ($1, 'order-1', 'PizzaDelivery', 1, 1, 'live', now(), 'test'))
            INSERT INTO parked_event (tenant, position, activity_id, reason)
            VALUES ($1, 1, 'order-1', 'test')
            """, [.int4(tenant.rawValue)])
        try await ScratchDirectory.with { directory in
            let plain = ["doctor", "--database-url", database.url]
            let first = try await IsletProgram.run(plain, in: directory)
            #expect(first.code == 1)
            #expect(first.output.contains("has SUPERUSER"), "\(first.output)")
            #expect(first.output.contains("1 event of shop could not be folded"))
            #expect(first.output.contains("islet projections parked --tenant 'shop'"))
            _ = try await database.pool.query(
                "DELETE FROM islet_migration WHERE number > 40")
            let second = try await IsletProgram.run(plain, in: directory)
            #expect(second.code == 1)
            #expect(second.output.contains("the database is at migration 40"), "\(second.output)")
            #expect(second.output.contains("not before the schema is right"))
        }
    }

    @Test func `names the tenant with dead letters, and their list which tenants there are`()
        async throws
    {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("shop").id
        _ = try await database.pool.query(
            """
            INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id,
                given_up_at)
            VALUES ($1, 'order-1', 'x', 'sandbox', 'b', now())
            """, [.int4(tenant.rawValue)])
        try await ScratchDirectory.with { directory in
            func islet(_ words: [String]) async throws -> IsletProgram.Result {
                try await IsletProgram.run(
                    words + ["--database-url", database.url], in: directory)
            }
            let seen = try await islet(["doctor"])
            #expect(seen.output.contains("shop has dead letters: 1 by push"), "\(seen.output)")
            #expect(seen.output.contains("islet dead-letters list --tenant 'shop'"))
            let only = try await islet(["dead-letters", "list"])
            #expect(only.output.contains("order-1"), "\(only.errors)")
            _ = try await database.store.tenants.ensure("bar")
            let either = try await islet(["dead-letters", "list"])
            #expect(either.code == 2)
            #expect(
                either.errors.contains("--tenant is missing; there are: shop, bar"),
                "\(either.errors)")
        }
    }

    @Test func `names a user who is not shown the tenants' rows, whom other commands refuse`()
        async throws
    {
        let database = try await TestDatabase.make()
        _ = try await database.store.tenants.ensure("shop")
        let reader = "reader_\(UInt32.random(in: 1...UInt32.max))"
        _ = try await database.pool.query("CREATE ROLE \(reader) LOGIN IN ROLE pg_read_all_data")
        let url = database.url.replacing(/user=[^&]*/, with: "user=\(reader)")
        try await ScratchDirectory.with { directory in
            let seen = try await IsletProgram.run(
                ["doctor", "--database-url", url], in: directory)
            #expect(seen.code == 1)
            #expect(
                seen.output.contains("hides the tenants' rows from the user \(reader)"),
                "\(seen.output)")
            let list = try await IsletProgram.run(
                ["tenants", "list", "--database-url", url], in: directory)
            #expect(list.code == 1)
            #expect(list.errors.contains("hides the tenants' rows"), "\(list.errors)")
            let owned = try await IsletProgram.run(
                ["tenants", "list", "--database-url", database.url], in: directory)
            #expect(owned.output.contains("shop"), "\(owned.errors)")
        }
        _ = try await database.pool.query("DROP ROLE \(reader)")
    }

    @Test func `names a pooler that shares sessions, and finds nothing in one that does not`()
        async throws
    {
        let database = try await TestDatabase.makeAsServed()
        try await ScratchDirectory.with { directory in
            for (mode, words) in [
                ("transaction", "gives one session to several clients"),
                ("session", "there is one, and sessions are kept apart"),
            ] {
                let bouncer = try await PgBouncer(before: database.url, mode: mode)
                defer { bouncer.stop() }
                let result = try await IsletProgram.run(
                    ["doctor", "--database-url", bouncer.url], in: directory)
                #expect(result.output.contains(words), "\(result.output)\(result.errors)")
                #expect(
                    result.output.contains("pool_mode = session") == (mode == "transaction"))
                if mode == "transaction" { #expect(result.code == 1) }
            }
        }
    }

    @Test func `names why a server lets nobody in, and does not call it silent`() async throws {
        let database = try await TestDatabase.makeAsServed()
        let url = database.url.replacing(/user=[^&]*/, with: "user=nobody_at_all")
        try await ScratchDirectory.with { directory in
            let result = try await IsletProgram.run(
                ["doctor", "--database-url", url], in: directory)
            #expect(result.code == 1, "\(result.output)\(result.errors)")
            #expect(result.output.contains("lets nobody in: 28000"), "\(result.output)")
            #expect(!result.output.contains("does not answer"))
        }
    }

    @Test func `says that it could not look when no host answers, and never repeats a password`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let result = try await IsletProgram.run(
                ["doctor"], in: directory,
                environment: ["DATABASE_URL": "postgresql://me:secret@127.0.0.1:1,127.0.0.1:2/x"])
            #expect(result.code == 2, "\(result.output)\(result.errors)")
            #expect(result.output.contains("127.0.0.1:2 does not answer"))
            // The URL is right more often than Postgres is up.
            #expect(result.output.contains("; see whether Postgres runs there"), "\(result.output)")
            #expect(result.output.contains("open files"), "\(result.output)")
            #expect(!(result.errors + result.output).contains("secret"))
        }
    }

    /// The disk may be why.
    @Test func `looks at the machine when a private Postgres cannot be started`() async throws {
        try await ScratchDirectory.with { directory in
            let data = directory.file("data")
            // A cluster by its name, and nothing in it.
            try FileManager.default.createDirectory(
                atPath: data + "/cluster", withIntermediateDirectories: true)
            try Data("15\n".utf8).write(to: URL(filePath: data + "/cluster/PG_VERSION"))
            let result = try await IsletProgram.run(
                ["doctor", "--data-dir", data], in: directory)
            #expect([1, 2].contains(result.code), "\(result.output)\(result.errors)")
            #expect(result.output.contains("database"), "\(result.output)")
            for part in ["could not look: cannot", "disk ", "open files", "certificate"] {
                #expect(result.output.contains(part), "\(part): \(result.output)")
            }
        }
    }
}
