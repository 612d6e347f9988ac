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

    @Test func `writes behind what its files have, which nobody else may read`() async throws {
        let (output, errors) = (Self.file(), Self.file())
        defer { Self.remove([output, errors]) }
        try "before\n".write(toFile: output, atomically: false, encoding: .utf8)
        // `cat` ends at once, since there is nothing to read.
        let child = try await ChildProcess.start(
            "/bin/sh", ["-c", "echo after; echo fault >&2; cat"], output: output, errors: errors,
            on: loop)
        #expect(await child.ending() == .exited(code: 0))
        #expect(try String(contentsOfFile: output, encoding: .utf8) == "before\nafter\n")
        #expect(try String(contentsOfFile: errors, encoding: .utf8) == "fault\n")
        var facts = stat()
        #expect(stat(errors, &facts) == 0 && facts.st_mode & 0o777 == 0o600)
        // There is nobody left to send it to.
        await child.send(signal: SIGKILL)
        await loop.shutdown()
    }

    @Test func `writes through no link that somebody has planted`() async throws {
        let (precious, link) = (Self.file(), Self.file())
        defer { Self.remove([precious, link]) }
        try "precious".write(toFile: precious, atomically: false, encoding: .utf8)
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: precious)
        await #expect(throws: NetworkError.system(code: -ELOOP)) {
            _ = try await ChildProcess.start("/bin/echo", ["burnt"], output: link, on: loop)
        }
        #expect(try String(contentsOfFile: precious, encoding: .utf8) == "precious")
        await loop.shutdown()
    }

    @Test func `is no longer waited for when its loop ends`() async throws {
        let child = try await ChildProcess.start("/bin/sleep", ["20"], on: loop)
        async let ending = child.ending()
        await loop.shutdown()
        #expect(await ending == .killed(signal: 0))
        kill(child.pid, SIGKILL)
        waitpid(child.pid, nil, 0)
    }

    @Test func `has an end that is described in words`() {
        #expect("it \(ChildProcess.Ending.exited(code: 7))" == "it ended with code 7")
        #expect("it \(ChildProcess.Ending.killed(signal: 9))" == "it was killed by signal 9")
    }

    @Test func `that cannot be started says why`() async {
        await #expect(throws: NetworkError.self) {
            _ = try await ChildProcess.start("/nonexistent", [], on: loop)
        }
        await loop.shutdown()
    }

    private static func file() -> String {
        NSTemporaryDirectory() + "islet-child-\(UUID().uuidString)"
    }

    private static func remove(_ files: [String]) {
        for file in files { try? FileManager.default.removeItem(atPath: file) }
    }
}
