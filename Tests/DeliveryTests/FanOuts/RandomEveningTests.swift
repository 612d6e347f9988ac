import APNs
import Delivery
import Domain
import EventLoop
import EventStore
import TestSupport
import Testing

struct `Whatever happens to an order's phones` {
    /// A transport and a store that fail by chance, until the test ends that.
    private final class Troubles: Sendable {
        private let random: Lock<SeededGenerator?>

        init(seed: UInt64) { random = Lock(SeededGenerator(seed: seed)) }

        func end() { random.withLock { $0 = nil } }

        /// A number below `count`; 0, which stands for no trouble, from the end on.
        func next(_ count: Int) -> Int {
            random.withLock { random in
                guard var generator = random else { return 0 }
                defer { random = generator }
                return .random(in: 0..<count, using: &generator)
            }
        }

        func answer() -> PushResult {
            switch next(6) {
            case 1: .away
            case 2: .refused(503, .serviceUnavailable)
            default: .accepted
            }
        }

        func crashing(_ store: EventStore) -> EventStore {
            var store = store
            let mayDie = { @Sendable () throws(EventStoreError) in
                guard self.next(6) != 1 else { throw .unavailable(detail: "died") }
            }
            store.deliveries = FailingDeliveries(
                base: store.deliveries,
                beforeRecord: { (_) throws(EventStoreError) in try mayDie() },
                beforeSettle: mayDie)
            return store
        }
    }

    @Test(arguments: UInt64(1)...4)
    func `their cards only go forwards, and show the newest state in the end`(
        seed: UInt64
    ) async throws {
        let scene = try await Scene()
        let troubles = Troubles(seed: seed)
        let accepted = Lock<[String: [RecordingTransport.Push]]>([:])
        scene.transport.answer { push in
            let answer = troubles.answer()
            if answer == .accepted {
                accepted.withLock { $0[push.tokenHex, default: []] += [push] }
            }
            return answer
        }
        try await scene.report(.placed())
        let nodes = [scene.store, scene.anotherNode().store].map(troubles.crashing)
        var drivers = 0
        for _ in 0..<60 {
            switch troubles.next(4) {
            case 0: try await scene.register("phone \(troubles.next(8))")
            case 1:
                drivers += 1
                try await scene.report(.assigned("Driver \(drivers + 100)", minute: 5 + drivers))
            default:
                scene.clock.advance(by: Double(troubles.next(4)) / 2)
                await scene.sender(nodes[troubles.next(2)]).drain()
            }
        }
        troubles.end()
        try await scene.register("last")
        // A fan-out that was cut short goes on first; what has come since has one of its own.
        for _ in 0..<2 { await scene.send(after: 600) }
        let state = try await scene.contentState()
        let cards = accepted.withLock { $0 }
        #expect(cards.count == (try await scene.living()))
        for pushes in cards.values {
            let timestamps = pushes.compactMap(\.timestamp)
            #expect(zip(timestamps, timestamps.dropFirst()).allSatisfy { $0 < $1 })
            let shown = pushes.map { Self.driver(in: $0.text) }
            #expect(shown == shown.sorted())
            #expect(pushes.last?.text.contains(state) == true)
        }
        let rows = try await scene.ledger().filter(\.decision.verdict.pushes)
        #expect(rows.allSatisfy { $0.outcome != nil })
        #expect(await scene.send(after: 600).isEmpty)
    }

    private static func driver(in text: String) -> Int {
        text.firstMatch(of: /"driverName":"Driver (\d+)"/).flatMap { Int($0.1) } ?? 0
    }
}
