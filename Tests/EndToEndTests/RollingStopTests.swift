import Domain
import EventLoop
import EventStore
import Foundation
import Glibc
import TestSupport
import Testing

/// Clients with connections of their own that go on posting while their server gets the signal to
/// stop.
@Suite(.timeLimit(.minutes(5)))
struct `Kept connections of a server that stops` {
    private struct Tally {
        var answered: Set<String> = []
        var unanswered: Set<String> = []
        var cut: Set<String> = []
        var statuses: Set<Int> = []
    }

    private func event(_ id: String) -> String {
        """
        {"specversion":"1.0","id":"\(id)","source":"/shop","subject":"order-\(id)",
         "time":"\(Moment.timeOfDay.rfc3339)","type":"PizzaDelivery.OrderAccepted","data":{}}
        """
    }

    /// Posts until nobody listens any more.
    /// - Parameter restMillisMax: how long a client rests between two requests, at most.
    private func storm(
        _ count: Int, port: Int, key: String, restMillisMax: Int, _ tally: Lock<Tally>
    ) -> [Thread] {
        (0..<count).map { number in
            let thread = Thread {
                let client = KeptAliveClient(port: port)
                for round in 0... {
                    let id = "\(restMillisMax)-\(number)-\(round)"
                    let outcome = client.post(event(id), key: key)
                    tally.withLock { tally in
                        switch outcome {
                        case .answered(let status):
                            tally.statuses.insert(status)
                            tally.answered.insert(id)
                        case .closedUnanswered: tally.unanswered.insert(id)
                        case .cut: tally.cut.insert(id)
                        case .refused: break
                        }
                    }
                    if outcome == .refused { return }
                    if restMillisMax > 0 { usleep(.random(in: 0..<UInt32(restMillisMax) * 1_000)) }
                }
            }
            thread.start()
            return thread
        }
    }

    @Test func `are answered or closed before anything of them was taken, and none is cut`()
        async throws
    {
        let database = try await TestDatabase.make()
        let tally = Lock(Tally())
        try await ScratchDirectory.with { directory in
            let key = try await RunningServer.makeKey(in: database)
            try await RunningServer.with(
                ["--connections-per-address-max", "200", "--database-url", database.url],
                in: directory
            ) { server in
                let busy = storm(32, port: server.port, key: key, restMillisMax: 0, tally)
                let calm = storm(64, port: server.port, key: key, restMillisMax: 1_500, tally)
                try await Task.sleep(for: .seconds(2))
                let result = await server.stop()
                #expect(result.code == 0)
                try await waitUntil("all clients have noticed", within: 30) {
                    (busy + calm).allSatisfy(\.isFinished)
                }
            }
        }
        let seen = tally.withLock { $0 }
        let tenant = try await database.store.tenants.ensure("shop").id
        var recorded: [String] = []
        while true {
            let page = try await database.store.log.read(tenant, Int64(recorded.count), 1_000)
            recorded += page.map(\.event.id)
            if page.isEmpty { break }
        }
        #expect(seen.statuses == [201])
        #expect(seen.answered.count > 500)
        #expect(seen.cut == [])
        #expect(seen.unanswered.filter { $0.hasPrefix("0-") } == [], "who asks again is told")
        #expect(seen.unanswered.isDisjoint(with: recorded), "nothing is carried out in silence")
        #expect(Set(recorded) == seen.answered)
        #expect(recorded.count == seen.answered.count)
        print("kept connections: \(seen.answered.count) answered, \(seen.unanswered.count) closed")
    }

    @Test func `that read events hear when to come back`() async throws {
        let database = try await TestDatabase.make()
        try await ScratchDirectory.with { directory in
            let key = try await RunningServer.makeKey(in: database)
            try await RunningServer.with(["--database-url", database.url], in: directory) {
                server in
                let reader = try await IsletProgram.start(
                    program: [
                        "curl", "--silent", "--no-buffer", "--header",
                        "Authorization: Bearer \(key)",
                        "http://127.0.0.1:\(server.port)/v1/stream",
                    ], in: directory)
                try await waitUntil("the stream is open") { reader.output.contains("ready") }
                _ = await server.stop()
                let result = await reader.result()
                #expect(result.code == 0, "the answer ended as it should: \(result.errors)")
                let hint = try #require(
                    result.output.firstMatch(of: /: this node stops\nretry: (\d+)\n\n$/))
                #expect((200...3_000).contains(Int(hint.1) ?? 0))
            }
        }
    }
}
