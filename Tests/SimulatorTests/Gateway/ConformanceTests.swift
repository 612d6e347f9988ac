import Foundation
import ProjectFiles
import Testing

@testable import Simulator

/// Clients that others wrote, as they are.
struct ConformanceTests: OverTheWire {
    private static let folder = ProjectFiles.url("Tests/SimulatorTests/Conformance")
    /// Made by `make test`, and by
    /// `tools/venv .build/conformance/venv Tests/SimulatorTests/Conformance/requirements.txt`.
    private static let python = ProjectFiles.python("conformance")

    @Test(
        .timeLimit(.minutes(2)),
        .enabled(
            if: ProjectFiles.hasPython("conformance"),
            "needs clients in Python: make test installs them"))
    func `foreign clients see Apple's answers`() async throws {
        try await withSimulator { running, _ in
            let authority = FileManager.default.temporaryDirectory
                .appending(path: "authority-\(running.apnsPort).pem")
            try running.authorityPEM.write(to: authority, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: authority) }
            let run = try await run([
                Self.python.path, "-B", Self.folder.appending(path: "clients.py").path,
                "http://127.0.0.1:\(running.controlPort)", authority.path,
            ])
            #expect(run.status == 0, "\(run.output)")
            let seen = run.output.split(separator: "\n")
            for (client, count) in [("aioapns", 10), ("apns2", 6), ("httpx", 32), ("kalyke", 6)] {
                #expect(seen.count { $0.hasPrefix("ok: \(client):") } == count, "\(client)")
            }
        }
    }
}
