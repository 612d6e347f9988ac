import ProjectFiles
import Terminal
import Testing

@testable import Hosting

struct `The service of the Debian package` {
    private func setting(_ name: String) throws -> String {
        let lines = try ProjectFiles.text("deploy/debian/islet.service").split(separator: "\n")
        let found = lines.filter { $0.hasPrefix("\(name)=") }
        try #require(found.count == 1, "\(name): \(found)")
        return String(found[0].dropFirst(name.count + 1))
    }

    @Test func `leaves a private Postgres to the node that stops`() throws {
        #expect(try setting("KillMode") == "mixed")
    }

    @Test func `has the time that the longest drain takes`() throws {
        guard case .integer(let range) = StopSignals.drainDelay.value else {
            Issue.record("the drain is no number")
            return
        }
        let seconds = try #require(Int(try setting("TimeoutStopSec")))
        #expect(seconds > range.upperBound + 40)
    }
}
