import Domain
import EventLoop
import Foundation
import HTTP
import JSON
import Terminal
import Testing

@testable import islet

/// A server that takes batches of events, or refuses them, and remembers those that it took.
private struct Taker: Sendable {
    struct Batch: Sendable {
        var key: String
        var type: String
        var events: [JSON]

        var ids: [String] { events.compactMap { $0["id"]?.text } }
    }

    /// The status of the answer to these events.
    typealias Status = @Sendable ([String]) -> Int

    let taken: Lock<[Batch]>
    let url: String

    static func with(
        _ status: @escaping Status, _ body: (Taker) async throws -> Void
    ) async throws {
        let taken = Lock<[Batch]>([])
        let server = HTTP1Server(
            loop: EventLoop(name: "taker"), host: "127.0.0.1", port: 0
        ) { request in
            var batch = Batch(
                key: request.headers["authorization"] ?? "",
                type: request.headers["content-type"] ?? "", events: [])
            if case .array(let events)? = try? JSONParser.parse(request.body) {
                batch.events = events
            }
            let code = status(batch.ids)
            let accepted = batch
            if code == 200 { taken.withLock { $0.append(accepted) } }
            return Response(status: code, body: .bytes(Array(#"{"detail":"because"}"#.utf8)))
        }
        let port = try await server.start()
        try await body(Taker(taken: taken, url: "http://127.0.0.1:\(port)"))
        await server.drain(within: .milliseconds(100))
    }

    private init(taken: Lock<[Batch]>, url: String) {
        self.taken = taken
        self.url = url
    }

    var batches: [Batch] { taken.withLock { $0 } }

    /// All that it took, in the order in which it came.
    var events: [JSON] { batches.flatMap(\.events) }

    var ids: [String] { batches.flatMap(\.ids) }
}

extension OrderExport {
    /// Reports the export as fast as the server takes it.
    /// - Returns: how that ends other than well.
    fileprivate func run(to taker: Taker, _ more: String...) async throws -> CommandFailure? {
        try SecretFile.write("islet_secret\n", to: file("key"))
        let words = [
            "replay", "run", place, "--to", taker.url, "--key-file", file("key"), "--speed", "max",
        ]
        return await CommandWords(words + more).refusal()
    }

    /// Whether there is something with which the same command would go on.
    fileprivate var isUnfinished: Bool { FileManager.default.fileExists(atPath: place + ".run") }
}

private func time(_ event: JSON?) throws -> Moment {
    try #require(event?["time"]?.text.flatMap { Moment(rfc3339: $0) })
}

@Suite(.timeLimit(.minutes(1)))
struct `An export that is reported again` {
    @Test func `comes in its order and as it was, without what the clock reported`() async throws {
        try await OrderExport.with(hasClock: true) { export in
            try await Taker.with({ _ in 200 }) { taker in
                #expect(try await export.run(to: taker, "--times", "same") == nil)
                #expect(taker.batches.count == 1)
                #expect(taker.batches.first?.key == "Bearer islet_secret")
                #expect(taker.batches.first?.type == "application/cloudevents-batch+json")
                #expect(taker.ids == OrderExport.reported)
                let subjects = taker.events.compactMap { $0["subject"]?.text }
                #expect(subjects == ["order-1", "order-1", "order-1", "order-2", "order-2"])
                let first = try #require(taker.events.first)
                #expect(first["type"] == "PizzaDelivery.OrderPlaced")
                #expect(first["source"] == "/till")
                #expect(try time(first) == OrderExport.begin)
                let promised = OrderExport.begin.adding(seconds: 2_100).rfc3339
                #expect(first["data"]?["promisedAt"]?.text == promised)
                #expect(first["data"]?["numberOfPizzas"]?.wholeNumber == 2)
                #expect(!export.isUnfinished)
            }
        }
    }

    @Test func `ends now where nothing is waited for, and its times keep their distances`()
        async throws
    {
        try await OrderExport.with { export in
            try await Taker.with({ _ in 200 }) { taker in
                let before = WallClock.now()
                #expect(try await export.run(to: taker) == nil)
                let after = WallClock.now()
                let events = taker.events
                let first = try time(events.first)
                let last = try time(events.last)
                #expect(last.seconds(since: before) > -1 && last.seconds(since: after) < 1)
                for (index, event) in events.enumerated() {
                    let seconds = try time(event).seconds(since: first)
                    #expect(abs(seconds - Double(index * 60)) < 0.01, "\(index)")
                }
                let promised = events.first?["data"]?["promisedAt"]?.text
                    .flatMap { Moment(rfc3339: $0) }
                let wait = try #require(promised).seconds(since: first)
                #expect(abs(wait - 2_100) < 0.01)
            }
        }
    }

    @Test func `is of activities of their own if it is given new ids`() async throws {
        try await OrderExport.with { export in
            try await Taker.with({ _ in 200 }) { taker in
                for _ in 1...2 {
                    let failure = try await export.run(to: taker, "--ids", "new")
                    #expect(failure == nil)
                }
                let marks = taker.ids.map { String($0.dropLast("order-1-1".count)) }
                let ends = taker.ids.map { String($0.suffix("order-1-1".count)) }
                #expect(ends == OrderExport.reported + OrderExport.reported)
                // One for each run.
                #expect(Set(marks.prefix(5)).count == 1 && Set(marks.suffix(5)).count == 1)
                #expect(Set(marks).count == 2 && !marks.contains(""))
                let subjects = Set(taker.events.compactMap { $0["subject"]?.text })
                #expect(subjects.count == 4 && !subjects.contains("order-1"))
            }
        }
    }

    @Test func `comes in smaller batches once the server has said that one was too large`()
        async throws
    {
        try await OrderExport.with { export in
            try await Taker.with({ $0.count > 2 ? 413 : 200 }) { taker in
                let failure = try await export.run(to: taker)
                #expect(failure == nil)
                #expect(taker.batches.map(\.events.count) == [2, 2, 1])
                #expect(taker.ids == OrderExport.reported)
            }
        }
    }

    @Test func `goes on where it was refused, and reports nothing twice`() async throws {
        let isRefused = Lock(true)
        try await OrderExport.with { export in
            try await Taker.with({ ids in
                if ids.count > 2 { return 413 }
                return isRefused.withLock { $0 } && ids.contains("order-1-3") ? 422 : 200
            }) { taker in
                let failure = try await export.run(to: taker)
                #expect(failure?.exitCode == 1)
                #expect(
                    failure?.text
                        == "\(taker.url) refused (422) what begins with position 3: because")
                #expect(taker.ids == ["order-1-1", "order-1-2"])
                #expect(export.isUnfinished)
                isRefused.withLock { $0 = false }
                #expect(try await export.run(to: taker) == nil)
                #expect(taker.ids == OrderExport.reported)
                #expect(!export.isUnfinished)
            }
        }
    }

    @Test func `names a way out where its ids are known, and leaves nothing behind`() async throws {
        try await OrderExport.with { export in
            try await Taker.with({ _ in 409 }) { taker in
                let failure = try await export.run(to: taker)
                #expect(failure?.exitCode == 1)
                let text = failure?.text ?? ""
                #expect(text.contains("refused (409) what begins with position 1: because"))
                #expect(text.contains("give --ids new") && text.contains("or --times same"))
                let same = try await export.run(to: taker, "--times", "same")
                #expect(same?.text.contains("--times same") == false)
                #expect(!export.isUnfinished)
            }
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `Waiting for a server` {
    @Test func `is over once it is ready`() async throws {
        let asked = Lock<[String]>([])
        let server = HTTP1Server(
            loop: EventLoop(name: "readying"), host: "127.0.0.1", port: 0
        ) { request in
            let number = asked.withLock { asked in
                asked.append(String(request.path))
                return asked.count
            }
            return Response(status: number < 3 ? 503 : 200, body: .bytes(Array("{}".utf8)))
        }
        let port = try await server.start()
        let refusal = await CommandWords("wait --url http://127.0.0.1:\(port)").refusal()
        #expect(refusal == nil)
        let paths = asked.withLock { $0 }
        #expect(paths == ["/readyz", "/readyz", "/readyz"])
        await server.drain(within: .milliseconds(100))
    }

    @Test func `needs an address of one`() async {
        let refusal = await CommandWords("wait --url 127.0.0.1:8080").refusal()
        #expect(refusal?.exitCode == 2)
        #expect(refusal?.text.hasPrefix("--url must be a URL such as ") == true)
    }
}
