import Foundation
import ProjectFiles
import Testing
import TestSupport

/// The server and the OpenAPI document that it serves, compared with each other by schemathesis.
@Suite(.timeLimit(.minutes(5)))
struct ContractTests {
    /// Made by `make test`, and by `tools/venv .build/fuzz/venv Tests/Fuzz/requirements.txt`.
    private static let python = ProjectFiles.python("fuzz")

    @Test(
        .enabled(
            if: ProjectFiles.hasPython("fuzz"),
            "needs schemathesis: make test installs it"))
    func `schemathesis finds nothing with all of its checks`() async throws {
        try await ScratchDirectory.with { directory in
            let masterKeys = directory.file("master-keys")
            try Data("\(String(repeating: "5e", count: 32))\n".utf8)
                .write(to: URL(filePath: masterKeys))
            let data = ["--data-dir", directory.data]
            // Nothing is sent: hosts that it makes up are somebody's.
            let roles = ["--role", "api", "--role", "projector"]
            try await RunningServer.with(
                data + roles + ["--master-key-file", masterKeys], in: directory
            ) { server in
                let key = try await IsletProgram.run(
                    [
                        "keys", "create", "--tenant", "acme", "--scope", "admin", "--scope",
                        "tenants:manage",
                    ] + data,
                    in: directory)
                try #require(key.code == 0, "\(key.errors)")
                let run = try await IsletProgram.start(
                    program: [
                        Self.python.path, "-B",
                        ProjectFiles.url("Tests/Fuzz/contract.py").path,
                        "http://127.0.0.1:\(server.port)",
                    ], in: directory,
                    environment: ["ISLET_KEY": key.output.trimmingCharacters(in: .newlines)])
                let result = await run.result()
                #expect(result.code == 0, "\(result.output)\n\(result.errors)")
                #expect(result.output.contains("ok: nothing found"))
                #expect(result.output.contains("Tested: 76"), "\(result.output)")
                #expect(!server.program.errors.contains(" error "), "\(server.program.errors)")
            }
        }
    }
}
