import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

/// A server process with a private Postgres: how it starts, stops, and shares.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct `A server with a private Postgres` {
    private func key(_ directory: ScratchDirectory) async throws -> String {
        let result = try await IsletProgram.run(
            ["keys", "create", "--tenant", "acme", "--data-dir", directory.data], in: directory)
        try #require(result.code == 0, "\(result.errors)")
        return result.output.trimmingCharacters(in: .newlines)
    }

    private func expectGoodStop(_ server: RunningServer) async {
        let result = await server.stop()
        #expect(result.code == 0, "\(result.ending) \(result.errors)")
    }

    private func expectHealthy(
        _ server: RunningServer, _ directory: ScratchDirectory
    ) async throws {
        let answer = try await server.curl("/healthz", in: directory)
        #expect(answer.status == 200, "\(answer.body)")
    }

    @Test func `stops in time when asked, with its Postgres, and keeps what was acknowledged`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let data = ["--data-dir", directory.data]
            var key = ""
            try await RunningServer.with(data, in: directory) { server in
                key = try await self.key(directory)
                #expect(directory.postgres != nil)
                let event = Story.assigned("Ada", "order-1")
                #expect(try await server.post(event, key: key, in: directory).status == 201)
                // A reader that stays on the line must not delay the server.
                let reader = try await IsletProgram.start(
                    program: [
                        "curl", "--silent", "--no-buffer", "--max-time", "60", "--header",
                        "Authorization: Bearer \(key)",
                        "http://127.0.0.1:\(server.port)/v1/stream",
                    ], in: directory)
                try await waitUntil("the stream has begun") { reader.output.contains("order-1") }
                let begin = ContinuousClock.now
                await expectGoodStop(server)
                #expect(ContinuousClock.now - begin < .seconds(8))
                #expect(await reader.result().code == 0)
                #expect(directory.postgres == nil)
                #expect(server.program.errors.contains(" stopped"))
                #expect(!server.program.errors.contains(" error "), "\(server.program.errors)")
            }
            try await RunningServer.with(data, in: directory) { server in
                let answer = try await server.curl(
                    "/v1/activities/order-1", key: key, in: directory)
                #expect(answer.status == 200)
                #expect(answer.body.contains("Ada"))
            }
            #expect(directory.postgres == nil)
        }
    }

    @Test func `leaves the Postgres to another server on the same directory`() async throws {
        try await ScratchDirectory.with { directory in
            let data = ["--data-dir", directory.data]
            try await RunningServer.with(data, in: directory) { first in
                let taken = try await IsletProgram.run(
                    ["serve", "--port", "\(first.port)"] + data, in: directory)
                #expect(taken.code == 1)
                let complaint = "cannot listen on 127.0.0.1:\(first.port): the address is in use by"
                #expect(taken.errors.contains("\(complaint) islet (process "), "\(taken.errors)")
                try await expectHealthy(first, directory)
                try await RunningServer.with(data, in: directory) { second in
                    try await expectHealthy(second, directory)
                    await expectGoodStop(first)
                    #expect(directory.postgres != nil)
                    try await expectHealthy(second, directory)
                    await expectGoodStop(second)
                }
                #expect(directory.postgres == nil)
            }
        }
    }

    @Test func `says so if its Postgres cannot be stopped`() async throws {
        try await ScratchDirectory.with { directory in
            let data = ["--data-dir", directory.data]
            let lock = directory.data + "/start.lock"
            try await RunningServer.with(data, in: directory) { server in
                // Which it then refuses to take.
                try FileManager.default.removeItem(atPath: lock)
                try FileManager.default.createSymbolicLink(
                    atPath: lock, withDestinationPath: "/dev/null")
                await expectGoodStop(server)
                let complaint = "error the private Postgres could not be stopped, and may run on"
                #expect(server.program.errors.contains(complaint), "\(server.program.errors)")
                #expect(directory.postgres != nil)
            }
            try FileManager.default.removeItem(atPath: lock)
            try await RunningServer.with(data, in: directory) { await expectGoodStop($0) }
            #expect(directory.postgres == nil)
        }
    }

    @Test func `needs no directory for temporary files`() async throws {
        try await ScratchDirectory.with { directory in
            let result = try await IsletProgram.run(
                ["migrate", "--data-dir", directory.data], in: directory,
                environment: ["TMPDIR": directory.file("none")])
            #expect(result.code == 0, "\(result)")
            #expect(directory.postgres == nil)
        }
    }

    @Test func `takes over the Postgres of one that was killed`() async throws {
        try await ScratchDirectory.with { directory in
            let data = ["--data-dir", directory.data]
            var postgres: Int32?
            try await RunningServer.with(data, in: directory) { server in
                postgres = directory.postgres
                await server.program.child.send(signal: SIGKILL)
                _ = await server.program.child.ending()
            }
            #expect(postgres != nil && directory.postgres == postgres)
            try await RunningServer.with(data, in: directory) { server in
                #expect(directory.postgres == postgres)
                try await expectHealthy(server, directory)
            }
            #expect(directory.postgres == nil)
        }
    }

    @Test func `that is refused its schema does not leave a Postgres behind`() async throws {
        try await ScratchDirectory.with { directory in
            let verify = ["replay", "verify", "--decisions", "--data-dir", directory.data]
            let result = try await IsletProgram.run(verify, in: directory)
            #expect(result.code == 1)
            #expect(directory.postgres == nil)
        }
    }

    @Test func `is used when a data directory is named, whatever the environment says`()
        async throws
    {
        try await ScratchDirectory.with { directory in
            let elsewhere = ["DATABASE_URL": "postgresql:///nowhere?host=\(directory.path)"]
            try await RunningServer.with(
                ["--data-dir", directory.data], in: directory, environment: elsewhere
            ) { _ in
                #expect(directory.postgres != nil)
            }
        }
    }
}
