import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

/// A server whose standard error takes nothing.
@Suite(.timeLimit(.minutes(5)))
struct `A server whose log nobody takes` {
    /// At a socket, since no log says at which port.
    private func expectToServeAndStop(
        _ redirection: String, in directory: ScratchDirectory
    ) async throws {
        let database = try await TestDatabase.make()
        let socket = directory.file("islet.sock")
        let command =
            "exec '\(IsletProgram.path)' serve --host unix:\(socket) --log-level debug "
            + redirection
        let program = try await IsletProgram.start(
            program: ["bash", "-c", command], in: directory,
            environment: ["DATABASE_URL": database.url])
        var isUp = false
        try await waitUntil("the server answers or ends", within: 60) {
            let curl = try await IsletProgram.start(
                program: [
                    "curl", "--silent", "--max-time", "5", "--unix-socket", socket,
                    "http://localhost/healthz",
                ], in: directory)
            isUp = await curl.result().code == 0
            return isUp || program.isOver
        }
        #expect(isUp)
        let start = ContinuousClock.now
        await program.child.send(signal: SIGTERM)
        let result = await program.result()
        #expect(result.code == 0, "\(result.ending)")
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test(arguments: ["2> /dev/full", "2>&-"])
    func `serves, and stops when asked`(redirection: String) async throws {
        try await ScratchDirectory.with { directory in
            try await expectToServeAndStop(redirection, in: directory)
        }
    }

    @Test func `serves and stops although its reader stands still`() async throws {
        try await ScratchDirectory.with { directory in
            let pipe = directory.file("log")
            #expect(mkfifo(pipe, 0o600) == 0)
            let reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            let writer = open(pipe, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
            defer {
                close(reader)
                close(writer)
            }
            let bytes = [UInt8](repeating: UInt8(ascii: "\n"), count: 4_096)
            while write(writer, bytes, bytes.count) > 0 {}
            try await expectToServeAndStop("2> '\(pipe)'", in: directory)
        }
    }
}
