import Domain
import EventStore
import Postgres
import PostgresStore
import StoreTestSupport
import TestSupport
import Testing

/// What the doctor, as a user who is nothing special, sees of sessions that are in the way.
@Suite(.timeLimit(.minutes(1)))
struct `Work that waits` {
    private func findings(
        _ check: String, _ database: TestDatabase, secondsMax: Double,
        foldVersions: [String: Int] = [:]
    ) async throws -> [Finding] {
        let scene = DoctorScene(
            pool: database.pool, visitors: nil, hosts: [], nodes: 1,
            connectionsPerNode: .init(service: 40, visitor: 0), lagSecondsMax: secondsMax,
            foldVersions: foldVersions, now: { .timeOfDay })
        let report = await DatabaseChecks.look(at: scene).first { $0.name == check }
        switch try #require(report).answer {
        case .fine: return []
        case .findings(let findings): return findings
        case .unseen(let why):
            Issue.record("\(why)")
            return []
        }
    }

    @Test func `for a locked table is found at once, with the session that has locked it`()
        async throws
    {
        let database = try await TestDatabase.makeForOrdinaryUser(entersTenantRole: true)
        #expect(try await findings("locks", database, secondsMax: 30).isEmpty)
        let blocking = try await administrator(database)
        try await blocking.script("BEGIN; LOCK TABLE snapshot IN ACCESS EXCLUSIVE MODE")
        let pool = Pool(
            PoolConfiguration(
                connection: ConnectionConfiguration(
                    url: database.url, lockTimeoutMillis: 100, isReadOnly: true),
                connectionsMax: 1), loop: TestDatabase.loop)
        let scene = DoctorScene(
            pool: pool, visitors: nil, hosts: [], nodes: 1,
            connectionsPerNode: .init(service: 40, visitor: 0), lagSecondsMax: 30,
            now: { .timeOfDay })
        let began = ContinuousClock.now
        let report = await DatabaseChecks.look(at: scene).first { $0.name == "locks" }
        #expect(.now - began < .seconds(8))
        guard case .findings(let found)? = report?.answer else {
            Issue.record("it goes unnoticed: \(String(describing: report))")
            return
        }
        #expect(found.first?.what.contains(", psql)") == true, "\(found)")
        #expect(
            found.first?.remedy.contains("pg_terminate_backend(\(blocking.backendPID))") == true,
            "\(found)")
        await blocking.close()
        await pool.close()
    }

    @Test func `for the database's clock, which was set back, is found with the seconds`()
        async throws
    {
        let database = try await TestDatabase.make()
        func behind(_ seconds: Double) async throws -> [String] {
            _ = try await database.pool.query(
                "UPDATE log_identity SET beat_at = clock_timestamp() + $1 * interval '1 s'",
                [.float8(seconds)])
            return try await findings("time", database, secondsMax: 30).map(\.what)
                .filter { $0.hasPrefix("the database's clock is ") }
        }
        #expect(try await behind(1) == [])
        let found = try await behind(171)
        #expect(found.count == 1 && found[0].contains(" s behind what the database has written"))
        // Nothing else says so: it is less than what keeps a server from starting.
        #expect(try await findings("log", database, secondsMax: 30) == [])
        #expect(try await findings("unsent changes", database, secondsMax: 30) == [])
    }

    @Test func `for a clock is not looked for where nothing is written down`() async throws {
        let database = try await TestDatabase.makeEmpty()
        let found = try await findings("time", database, secondsMax: 30).map(\.what)
        #expect(!found.contains { $0.hasPrefix("the database's clock is ") })
    }

    @Test func `of phones whose pushes keep failing is found, with the reason`() async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("shop").id.rawValue
        _ = try await database.pool.query(
            """
            INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id,
                attempts, retry_at, last_failure)
            VALUES (\(tenant), 'a', 'x', 'sandbox', 'b', 2, now(), 'cannot connect'),
                (\(tenant), 'a', 'y', 'sandbox', 'b', 9, now(), 'no-key')
            """)
        #expect(try await findings("owed phones", database, secondsMax: 30).isEmpty)
        _ = try await database.pool.query("UPDATE registration SET attempts = attempts + 1")
        let found = try await findings("owed phones", database, secondsMax: 30)
        #expect(found.first?.what.hasPrefix("1 phone waits") == true, "\(found)")
        #expect(found.first?.what.contains("(cannot connect)") == true)
    }

    /// A session of an administrator, whose transactions others may not see.
    private func administrator(_ database: TestDatabase) async throws -> Connection {
        let url = try await TestDatabase.makeEmpty().url
        let user = try #require(url.firstMatch(of: /user=[^&]*/)).output
        return try await Connection.open(
            ConnectionConfiguration(
                url: database.url.replacing(/user=[^&]*/, with: user), applicationName: "psql"),
            loop: TestDatabase.loop)
    }

    @Test func `to be folded is found, with the session that has locked the checkpoint`()
        async throws
    {
        let database = try await TestDatabase.makeForOrdinaryUser(entersTenantRole: true)
        let tenant = try await database.store.tenants.ensure("shop").id
        _ = try await database.store.log.append(tenant, [Samples.event("1")])
        let alone = try await findings("lag", database, secondsMax: 0)
        #expect(alone.count == 1)
        #expect(
            alone.first?.what.hasPrefix("the log of shop stands still: 1 event waits") == true,
            "\(alone)")
        #expect(alone.first?.remedy.contains("--role projector") == true, "\(alone)")
        let blocking = try await administrator(database)
        try await blocking.script("BEGIN; SELECT FROM projection_checkpoint FOR UPDATE")
        let found = try await findings("lag", database, secondsMax: 0)
        #expect(
            found.first?.remedy.contains("pg_terminate_backend(\(blocking.backendPID))") == true,
            "\(found)")
        await blocking.close()
    }

    @Test func `to be folded by a program too old for it is found as that`() async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("shop").id
        _ = try await database.store.log.append(tenant, [Samples.event("1")])
        try await Samples.foldAll(database.store)
        func remedy(_ version: Int) async throws -> String {
            let found = try await findings(
                "lag", database, secondsMax: 0, foldVersions: ["Sample": version])
            return found.first?.remedy ?? ""
        }
        // Another activity begins: there is nothing of it that could be newer.
        _ = try await database.store.log.append(tenant, [Samples.event("2", "order-2")])
        #expect(try await remedy(0).hasPrefix("start a node with --role projector"))
        _ = try await database.store.log.append(tenant, [Samples.event("3")])
        #expect(try await remedy(0).hasPrefix("a newer version of Islet than this program"))
        #expect(try await remedy(1).hasPrefix("start a node with --role projector"))
    }

    @Test func `to be sent is found, with the session that has locked the claim`() async throws {
        let database = try await TestDatabase.make()
        #expect(try await findings("unsent changes", database, secondsMax: 30).isEmpty)
        let tenant = try await database.store.tenants.ensure("shop").id.rawValue
        try await database.alter(
            """
            INSERT INTO decision (tenant, activity_id, version, position, verdict, rule, reason,
                content_state, decided_at)
            VALUES (\(tenant), 'waits', 1, 1, 'alert', 'r', 'r', '{}', now() - interval '90 s')
            """)
        let alone = try await findings("unsent changes", database, secondsMax: 30)
        #expect(alone.first?.what.hasPrefix("1 change waits to be sent") == true, "\(alone)")
        #expect(alone.first?.remedy.contains("--role sender") == true)
        #expect(try await findings("unsent changes", database, secondsMax: 3_600).isEmpty)
        let blocking = try await administrator(database)
        _ = try await blocking.query(
            "SELECT pg_advisory_lock($1, hashtext('waits'))", [.int4(tenant)])
        let found = try await findings("unsent changes", database, secondsMax: 30)
        #expect(
            found.first?.remedy.contains("pg_terminate_backend(\(blocking.backendPID))") == true,
            "\(found)")
        await blocking.close()
    }
}
