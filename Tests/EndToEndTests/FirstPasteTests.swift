import EventLoop
import Foundation
import ProjectFiles
import Testing

@Suite(.serialized, .timeLimit(.minutes(5)))
struct `The first paste` {
    /// `make examples` tries ten times.
    @Test func `works as it stands in the documentation`() async throws {
        try await ScratchDirectory.with { directory in
            let program = try await IsletProgram.start(
                program: [
                    ProjectFiles.url("Tests/Examples/paste").path, "--islet", IsletProgram.path,
                    "--tries", "1",
                ], in: directory)
            let result = await program.result()
            #expect(result.code == 0, "\(result.output) \(result.errors)")
        }
    }

    @Test func `works for any number of commands that begin at once`() async throws {
        try await ScratchDirectory.with { directory in
            func atOnce(_ commands: [[String]]) async throws -> [IsletProgram.Result] {
                try await withThrowingTaskGroup(of: IsletProgram.Result.self) { group in
                    for words in commands {
                        group.addTask {
                            try await IsletProgram.run(
                                words + ["--data-dir", directory.data], in: directory)
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            let migrations = try await atOnce((1...5).map { _ in ["migrate"] })
            let keys = try await atOnce(
                (1...5).map { ["keys", "create", "--tenant", "tenant-\($0)"] })
            for result in migrations + keys { #expect(result.code == 0, "\(result.errors)") }
            #expect(Set(keys.map(\.output)).count == 5)
            #expect(directory.postgres == nil)
        }
    }

    @Test func `waits for a server, and not for ever`() async throws {
        try await ScratchDirectory.with { directory in
            let vain = try await IsletProgram.run(
                ["wait", "--url", "http://127.0.0.1:1", "--timeout", "1"], in: directory)
            #expect(vain.code == 1)
            #expect(
                vain.errors.contains("http://127.0.0.1:1 is not ready after 1 s"), "\(vain.errors)")
            try await RunningServer.with(["--data-dir", directory.data], in: directory) { server in
                let found = try await IsletProgram.run(
                    ["wait", "--url", "http://127.0.0.1:\(server.port)"], in: directory)
                #expect(found.code == 0, "\(found.errors)")
                #expect((found.output + found.errors).isEmpty)
            }
        }
    }
}
