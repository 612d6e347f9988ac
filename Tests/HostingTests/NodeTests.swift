import EventLoop
import Glibc
import Terminal
import Testing

@testable import Hosting

struct `A node's name` {
    @Test func `is what the option says, where Postgres can show it`() throws {
        #expect(try NodeName.of(serveArguments(["--node-name", "islet-1.b_C"])) == "islet-1.b_C")
        for name in ["two words", "ä", String(repeating: "a", count: 49), "a/b"] {
            #expect(throws: CommandFailure.self, "\(name)") {
                _ = try NodeName.of(serveArguments(["--node-name", name]))
            }
        }
    }

    @Test func `is the host's and new at every start without it`() throws {
        let long = String(repeating: "host", count: 30)
        let names = (0..<20).map { _ in NodeName.made(forHost: "web-3.example.com") }
        #expect(Set(names).count > 1)
        for name in names + [NodeName.made(forHost: long), NodeName.made(forHost: "日本")] {
            #expect(name.utf8.count <= 48)
            #expect(try NodeName.of(serveArguments(["--node-name", name])) == name)
        }
        #expect(names[0].hasPrefix("web-3-"))
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `Signals that stop a node` {
    @Test func `stop it at the first, and have files read again at SIGHUP`() async throws {
        let (signals, send) = AsyncStream.makeStream(of: Int32.self)
        let (happened, tell) = AsyncStream.makeStream(of: String.self)
        let stop = StopSignals(
            signals, log: Log(lowest: .error), onStop: { tell.yield("stop") },
            reload: { tell.yield("reload") })
        var words = happened.makeAsyncIterator()
        send.yield(SIGHUP)
        #expect(await words.next() == "reload")
        let waiting = Task { await stop.first() }
        send.yield(SIGTERM)
        #expect(await words.next() == "stop")
        await waiting.value
        // A task that asks later need not wait.
        await stop.first()
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `Files that are read again` {
    @Test func `each have a line in the log, and one that cannot be read stops no other`()
        async throws
    {
        let lines = LoggedLines()
        let items: [Reloading.Item] = [
            .init(options: ["a"]) { (_) async throws(CommandFailure) in true },
            .init(options: ["b"]) { (_) async throws(CommandFailure) in throw .failed("it is empty")
            },
            .init(options: ["c"]) { (_) async throws(CommandFailure) in false },
        ]
        await Reloading(arguments: try serveArguments(), items: items, log: lines.log).run()
        let said = lines.all
        #expect(said.count == 3)
        #expect(said[0].contains("read again option=--a"))
        #expect(said[1].contains("option=--b why=\"it is empty\""))
        #expect(said[2].contains("nothing has changed"))
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `A node's threads` {
    @Test func `are named when they do not get round to anything`() async {
        let (free, stuck) = (EventLoop(name: "free"), EventLoop(name: "stuck"))
        stuck.run { usleep(1_500_000) }
        #expect(await LoopCheck.names(ofStuck: [free, stuck], withinSeconds: 0.5) == ["stuck"])
        await stuck.shutdown()
        await free.shutdown()
    }
}
