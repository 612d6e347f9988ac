import ProjectFiles
import Testing

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
}
