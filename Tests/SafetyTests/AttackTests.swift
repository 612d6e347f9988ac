import EventLoop
import Foundation
import ProjectFiles
import Testing

/// `make attack` in short: what the attacks try and what must be true is said in `Tests/Attack`.
@Suite(.serialized)
struct `A server that is attacked from outside` {
    private static let loop = EventLoop(name: "attack")

    @Test(.timeLimit(.minutes(10)))
    func `lives, stays small, and serves everybody else`() async throws {
        let output = FileManager.default.temporaryDirectory
            .appending(path: "attack-\(UUID().uuidString).log").path
        defer { try? FileManager.default.removeItem(atPath: output) }
        let child = try await ChildProcess.start(
            "/usr/bin/env",
            [
                "-u", "ISLET_DATA_DIR", "python3", "-B",
                ProjectFiles.url("Tests/Attack/run").path, "--short", "--seed", "1",
                "--binary", ServeProcess.program,
            ], output: output, errors: output, on: Self.loop)
        let ending = await child.ending()
        let said = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        #expect(ending == .exited(code: 0), "\(said)")
        #expect(said.contains("all passed"), "\(said)")
    }
}
