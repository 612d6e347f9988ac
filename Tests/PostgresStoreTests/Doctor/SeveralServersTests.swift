import Domain
import EventLoop
import Postgres
import TestSupport
import Testing
@testable import PostgresStore

/// A proxy of connections may give out standbys as well.
@Suite(.timeLimit(.minutes(2)))
struct `An address with several servers behind it` {
    private static func pool(_ url: String) -> Pool { TestDatabase.pool(url, 1) }

    @Test func `is found by sessions that lead to a primary and to a standby`() async throws {
        let directory = TestServer.temporaryDirectory()
        let primary = try await PrivatePostgres.start(
            dataDirectory: directory, settings: ["fsync": "off", "shared_buffers": "16MB"])
        try TestServer.cleanUpAfterThisProcess(primary, directory)
        let standby = try CopiedServer.standby(of: primary, in: directory + "-standby")
        defer { try? standby.kill() }
        let pools = [Self.pool(primary.url), Self.pool(standby.url)]
        for (url, same, other) in [
            (primary.url, pools[0], pools[1]), (standby.url, pools[1], pools[0]),
        ] {
            var host = try #require(
                await SeenHost.look(at: ConnectionString.hosts(of: url), on: TestDatabase.loop)
                    .first)
            await host.compare(with: same)
            #expect(!host.isSeveral)
            await host.compare(with: other)
            #expect(host.isSeveral)
            await host.compare(with: same)
            #expect(host.isSeveral, "once is enough")
        }
        for pool in pools { await pool.close() }
    }

    @Test(arguments: [true, false])
    func `is all that the doctor says, whichever of them answered first`(
        isStandby: Bool
    ) async throws {
        var host = SeenHost(
            host: ConnectionString.hosts(of: "host=proxy")[0],
            facts: .success(
                SeenHost.Facts(isStandby: isStandby, version: 150_004, systemIdentifier: 7)))
        host.isSeveral = true
        let nobody = Self.pool("host=127.0.0.1 port=1")
        let scene = DoctorScene(
            pool: nobody, visitors: nil, hosts: [host], nodes: 1,
            connectionsPerNode: .init(service: 40, visitor: 0), lagSecondsMax: 30,
            now: { .timeOfDay })
        let reports = await DatabaseChecks.look(at: scene)
        guard case .findings(let findings)? = reports.first?.answer else {
            Issue.record("it goes unnoticed: \(reports)")
            return
        }
        #expect(findings.count == 1)
        #expect(findings[0].what.hasPrefix("several servers are behind proxy"))
        for report in reports.dropFirst() {
            #expect(report.answer == .unseen("several servers are behind one address"))
        }
        await nobody.close()
    }
}
