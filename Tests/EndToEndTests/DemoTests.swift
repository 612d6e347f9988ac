import EventLoop
import Foundation
import Glibc
import TestSupport
import Testing

/// `islet demo` as a person runs it: processes, sockets, files and all.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct `The demo` {
    private let arguments = ["demo", "--speed", "2000x", "--port", "18411"]

    private func expectGoodEnd(_ result: IsletProgram.Result) {
        #expect(result.code == 0, "\(result.errors)\n\(result.output.suffix(3000))")
        let end =
            result.output.components(separatedBy: "What the phones show at the end").last ?? ""
        for phone in ["Phone A", "Phone B"] {
            let card = end.split(separator: "\n").first {
                $0.hasPrefix(phone) && $0.contains("Argentina")
            }
            #expect(card?.contains("Argentina 3–3 France") == true)
            #expect(card?.contains("4–2 on penalties") == true)
        }
        let cards = end.split(separator: "\n").filter { $0.hasPrefix("Phone ") }
        #expect(end.contains("Fan 1  Harbour City 1–1 Northgate · Full time"))
        #expect(cards.count == 13)
        #expect(cards.count { $0.contains("Harbour City 1–1 Northgate · Full time") } == 2)
        let endings = ["Delivered", "Cancelled"].map { ending in
            cards.count { $0.contains(" \(ending) ") }
        }
        #expect(endings == [5, 2])
        #expect(result.output.contains("was given another push token"))
        #expect(result.output.contains("was swiped away"))
        #expect(cards.count { $0.contains("the card is gone") } == 1)
        #expect(end.contains("180 events of 11 activities, 180 decisions made again"))
        #expect(end.contains("everything follows from the log"))
        #expect(end.contains("Every phone shows the final state"))
        #expect(end.contains("== 0 pushes came too late to be shown"))
    }

    @Test func `plays the final, the orders and the rest and ends well`() async throws {
        try await ScratchDirectory.with { directory in
            let result = try await IsletProgram.run(arguments, in: directory)
            expectGoodEnd(result)
            #expect(!result.output.contains("started again"))
            // On a busy machine a broadcast may come to cards that its own fan-out has started.
            let ignored = result.output.split(separator: "\n").filter {
                $0.contains(" ignores ") && !$0.hasSuffix("equal to that of the newest push")
            }
            #expect(ignored.isEmpty)
            #expect(!result.output.contains("!!"))
            // On a busy machine goals may share a push, whose words are those of the last.
            #expect(result.output.contains("🔔 Goal! Argentina"))
            #expect(result.output.contains("🔔 Order cancelled"))
            for remarkable in [
                "a goal that did not count", "a budget that had run low", "a broadcast",
                "cards that appeared by push",
                "the first push after a card was given another token",
                "the first push after a card was swiped away",
            ] {
                #expect(result.output.contains("== Why? \(remarkable)"))
            }
            #expect(result.output.contains("Phones in general got it at priority 5"))
            #expect(result.output.contains("APNs accepted one broadcast to the listeners."))
            #expect(result.output.contains("started the card on 14 phones."))
            #expect(result.output.contains("The app on Phone B woke up"))
        }
    }

    @Test func `loses nothing when its server is killed in the middle`() async throws {
        try await ScratchDirectory.with { directory in
            let demo = try await IsletProgram.start(arguments, in: directory)
            let result: Result<Void, any Error>
            do { result = .success(try await killServer(of: demo)) } catch {
                result = .failure(error)
                await demo.child.send(signal: SIGTERM)
            }
            let ended = await demo.result()
            try result.get()
            expectGoodEnd(ended)
            #expect(ended.output.contains("!! the server was killed by signal 9"))
            #expect(ended.output.contains("started again"))
        }
    }

    /// Python has a terminal to give, and somebody who presses a key.
    private static let terminal = """
        import os, pty, sys
        pid, terminal = pty.fork()
        if pid == 0:
            os.execv(sys.argv[1], sys.argv[1:])
        text = b""
        while True:
            try:
                piece = os.read(terminal, 65536)
            except OSError:
                break
            was_asked = b"Press any key" in text
            text += piece
            if not was_asked and b"Press any key" in text:
                os.write(terminal, b"x")
        sys.stdout.buffer.write(text)
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        """

    @Test(arguments: [false, true])
    func `stays until somebody presses a key, in colours unless they are forbidden`(
        hasColours: Bool
    ) async throws {
        try await ScratchDirectory.with { directory in
            let words = ["demo", "--kind", "coffee", "--speed", "2000x", "--port", "18413"]
            let demo = try await IsletProgram.start(
                program: ["python3", "-c", Self.terminal, IsletProgram.path] + words,
                in: directory,
                environment: ["TERM": "xterm", "NO_COLOR": hasColours ? "" : "1"])
            let result = await demo.result()
            #expect(result.code == 0, "\(result.output.suffix(2000)) \(result.errors)")
            #expect(result.output.contains(/Look around: http:\/\/127.0.0.1:\d+\/dashboard/))
            #expect(result.output.contains("The key to sign in: islet_"))
            // Else each line would begin below the end of the one before.
            #expect(!result.output.replacing("\r\n", with: "").contains("\n"))
            #expect(result.output.contains("\u{1B}[") == hasColours)
        }
    }

    private func killServer(of demo: IsletProgram) async throws {
        try await waitUntil("the first goals are reported") {
            demo.output.split(separator: "Match.GoalScored").count > 2 || demo.isOver
        }
        let pid = demo.output.firstMatch(of: /Server process (\d+) answers/).flatMap { Int32($0.1) }
        #expect(kill(try #require(pid), SIGKILL) == 0)
    }

    @Test func `that is interrupted leaves nothing running and nothing behind`() async throws {
        try await ScratchDirectory.with { directory in
            let demo = try await IsletProgram.start(
                ["demo", "--speed", "1x", "--port", "18412"], in: directory,
                environment: ["TMPDIR": directory.path])
            try await waitUntil("the story plays") {
                demo.output.contains("Playing") || demo.isOver
            }
            let server = try #require(
                demo.output.firstMatch(of: /Server process (\d+) answers/).flatMap { Int32($0.1) })
            #expect(try demoDirectories(directory).count == 1)
            await demo.child.send(signal: SIGINT)
            let result = await demo.result()
            #expect(result.code == 1)
            #expect(result.errors.contains("interrupted"))
            #expect(kill(server, 0) != 0)
            #expect(try demoDirectories(directory).isEmpty)
        }
    }

    private func demoDirectories(_ directory: ScratchDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0.hasPrefix("islet-demo-") }
    }
}
