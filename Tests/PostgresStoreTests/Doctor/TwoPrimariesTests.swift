import Postgres
import Testing

@testable import PostgresStore

/// As after a failover whose old primary was started again, and comes first in the URL.
struct `Of two primaries the doctor` {
    private func host(_ name: String, timeline: Int64?, cluster: Int64 = 7) -> SeenHost {
        SeenHost(
            host: ConnectionString.hosts(of: "host=\(name)")[0],
            facts: .success(
                SeenHost.Facts(
                    isStandby: timeline == nil, version: 150_004, systemIdentifier: cluster,
                    timeline: timeline ?? 0)))
    }

    private let silent = SeenHost(
        host: ConnectionString.hosts(of: "host=x")[0],
        facts: .failure(.cannotConnect(detail: "timeout expired")))

    @Test func `examines the one with the newest timeline, as nodes go by it, and says so`() {
        let hosts = [
            silent, host("y", timeline: nil), host("a", timeline: 1), host("b", timeline: 2),
        ]
        #expect(hosts.examined == 3)
        let found = HostsCheck.findings(hosts).dropFirst()
        #expect(found.map(\.what) == ["2 hosts take writes: a (timeline 1), b (timeline 2)"])
        #expect(found.first?.meaning.hasSuffix("What follows is about b alone.") == true)
    }

    @Test func `examines the first if no timeline is the newest of a cluster`() {
        #expect([host("a", timeline: 1), host("b", timeline: 1)].examined == 0)
        #expect([host("a", timeline: 1), host("b", timeline: 2, cluster: 8)].examined == 0)
        #expect([silent, host("y", timeline: nil)].examined == 1)
        #expect([silent].examined == nil)
    }
}
