import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

struct `A child process` {
    private let loop = EventLoop(name: "children")

    @Test func `ends with its exit code`() async throws {
        let child = try await ChildProcess.start("/bin/sh", ["-c", "exit 7"], on: loop)
        #expect(await child.ending() == .exited(code: 7))
        #expect(await child.ending() == .exited(code: 7))
        await loop.shutdown()
    }

    @Test func `tells which signal killed it, although a grandchild lives on`() async throws {
        let output = NSTemporaryDirectory() + "islet-child-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: output) }
        let child = try await ChildProcess.start(
            "/bin/sh", ["-c", "sleep 20 & echo $!; wait"], output: output, on: loop)
        var grandchild: Int32?
        try await waitUntil {
            grandchild = (try? String(contentsOfFile: output, encoding: .utf8))
                .flatMap { Int32($0.trimmingCharacters(in: .newlines)) }
            return grandchild != nil
        }
        await child.send(signal: SIGKILL)
        #expect(await child.ending() == .killed(signal: SIGKILL))
        if let grandchild { kill(grandchild, SIGKILL) }
        await loop.shutdown()
    }

    @Test func `that cannot be started says why`() async {
        await #expect(throws: NetworkError.self) {
            _ = try await ChildProcess.start("/nonexistent", [], on: loop)
        }
        await loop.shutdown()
    }
}
