import Domain
import EventLoop
import Postgres
import TestSupport
import Testing
@testable import PostgresStore

/// Write-ahead log that does not go away, or went too soon.
@Suite(.timeLimit(.minutes(2)))
struct `The write-ahead log` {
    private static func look(_ pool: Pool) async throws -> DoctorCheck.Answer {
        let scene = DoctorScene(
            pool: pool, visitors: nil, hosts: [], nodes: 1,
            connectionsPerNode: .init(service: 40, visitor: 0), lagSecondsMax: 30,
            now: { .timeOfDay })
        let reports = await DatabaseChecks.look(at: scene)
        return try #require(reports.first { $0.name == "write-ahead log" }).answer
    }

    private static func run(_ statements: String..., on pool: Pool) async throws {
        try await pool.withConnection { (connection) async throws(PostgresError) in
            for statement in statements { try await connection.script(statement) }
        }
    }

    /// Segments of 16 MB each.
    private static func fill(_ segments: Int, on pool: Pool) async throws {
        for _ in 0..<segments {
            try await run(
                "SELECT pg_logical_emit_message(false, 'islet', 'x')", "SELECT pg_switch_wal()",
                on: pool)
        }
    }

    @Test func `is found by the doctor when it cannot be archived, or nobody reads its slot`()
        async throws
    {
        let directory = TestServer.temporaryDirectory()
        let primary = try await PrivatePostgres.start(
            dataDirectory: directory,
            settings: ["fsync": "off", "shared_buffers": "16MB", "archive_mode": "on"])
        try TestServer.cleanUpAfterThisProcess(primary, directory)
        let pool = TestDatabase.pool(primary.url)
        let fine = DoctorCheck.Answer.fine("nobody keeps Postgres from removing it")
        try await Self.run(
            "ALTER SYSTEM SET archive_command = 'true'", "SELECT pg_reload_conf()",
            "SELECT pg_create_physical_replication_slot('away', true)", on: pool)
        try await Self.fill(1, on: pool)
        #expect(try await Self.look(pool) == fine)

        try await Self.run(
            "ALTER SYSTEM SET archive_command = 'false'", "SELECT pg_reload_conf()", on: pool)
        try await Self.fill(5, on: pool)
        try await waitUntil("archiving fails and the slot keeps a lot") {
            guard case .findings(let findings) = try await Self.look(pool) else { return false }
            return findings.count == 2 && findings[0].what.hasPrefix("Postgres cannot archive 0")
                && findings[1].what.contains("the replication slot away, for which Postgres keeps")
        }

        try await Self.run(
            "ALTER SYSTEM SET archive_command = 'true'", "SELECT pg_reload_conf()",
            "SELECT pg_drop_replication_slot('away')", on: pool)
        try await waitUntil("all is well again") { try await Self.look(pool) == fine }
        await pool.close()
    }

    @Test func `of a standby that runs is found to be too short when the rest was removed`()
        async throws
    {
        let directory = TestServer.temporaryDirectory()
        let primary = try await PrivatePostgres.start(
            dataDirectory: directory, settings: ["fsync": "off", "shared_buffers": "16MB"])
        try TestServer.cleanUpAfterThisProcess(primary, directory)
        let pool = TestDatabase.pool(primary.url)
        let standby = try CopiedServer.standby(of: primary, in: directory + "-standby")
        defer { try? standby.kill() }
        let hosts = [primary.url, standby.url].flatMap(ConnectionString.hosts(of:))
        try await waitUntil("the standby follows") {
            let seen = await SeenHost.look(at: hosts, on: TestDatabase.loop)
            #expect(try seen.first?.facts.get().timeline == 1)
            return try seen.last?.facts.get().isFollowing == true
                && HostsCheck.findings(seen) == []
        }
        try standby.kill()
        try await Self.fill(4, on: pool)
        try await Self.run("CHECKPOINT", "CHECKPOINT", on: pool)
        try standby.start()
        try await waitUntil("the standby does not follow") {
            let findings = HostsCheck.findings(
                await SeenHost.look(at: hosts, on: TestDatabase.loop))
            return findings.count == 1
                && findings[0].what.contains("is a standby that runs and does not follow")
                && findings[0].remedy.contains("patronictl reinit")
        }
        await pool.close()
    }

    @Test func `is no finding while little of it is kept, or a standby catches up`() {
        #expect(KeptLogCheck.findings(notArchived: nil, [.init(name: "a", bytes: 1 << 20)]) == [])
        let kept = KeptLogCheck.findings(notArchived: nil, [.init(name: "a", bytes: 208 << 20)])
        #expect(kept.count == 1)
        #expect(kept[0].what.contains("208 MB"))
        #expect(kept[0].remedy.contains("pg_drop_replication_slot('a')"))
        func lost(_ megabytes: Int64, isFollowing: Bool) -> [Finding] {
            let all: Int64 = 1 << 30
            let facts = [
                SeenHost.Facts(
                    isStandby: false, version: 150_004, systemIdentifier: 7, logBytes: all,
                    isFollowing: false),
                SeenHost.Facts(
                    isStandby: true, version: 150_004, systemIdentifier: 7,
                    logBytes: all - megabytes << 20, isFollowing: isFollowing),
            ]
            return HostsCheck.findings(
                zip(["a", "b"], facts).map { name, facts in
                    SeenHost(
                        host: ConnectionString.hosts(of: "host=\(name)")[0], facts: .success(facts))
                })
        }
        #expect(lost(600, isFollowing: true) == [])
        #expect(lost(32, isFollowing: false) == [])
        #expect(
            lost(600, isFollowing: false).map(\.what)
                == ["b is a standby that runs and does not follow: it lacks 600 MB of WAL"])
    }
}
