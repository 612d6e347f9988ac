import APNs
import Delivery
import Domain
import EventLoop
import EventStore
import Postgres
import TestSupport
import Testing

private let app = AppInEnvironment(bundleID: "com.example.pizza", environment: .sandbox)

/// What APNs heard in the order in which it answered, and what goes wrong until the test ends that.
private final class Troubles: Sendable {
    struct State {
        var random: SeededGenerator
        var isOver = false
        var deleted: Set<String> = []
        var accepted: [RecordingChannels.Broadcast] = []
        var usedAfterDeletion: [String] = []
    }

    private let state: Lock<State>

    init(seed: UInt64) { state = Lock(State(random: SeededGenerator(seed: seed))) }

    var seen: State { state.withLock { $0 } }

    func end() { state.withLock { $0.isOver = true } }

    /// A number below `count`; 0, which stands for no trouble, from the end on.
    func next(_ count: Int) -> Int {
        state.withLock { state in
            state.isOver ? 0 : .random(in: 0..<count, using: &state.random)
        }
    }

    /// Nil for what a working APNs answers.
    func answer(_ request: APNsRequest, _ channels: RecordingChannels) -> PushResult? {
        let id = request.headers.first { $0.name == "apns-channel-id" }?.value ?? ""
        let special: PushResult? =
            switch next(7) {
            case 1: .away
            case 2: .refused(503, .serviceUnavailable)
            default: nil
            }
        let isSend = request.path.hasPrefix("/4")
        state.withLock { state in
            if isSend, state.deleted.contains(id) { state.usedAfterDeletion.append(id) }
            guard special == nil else { return }
            if isSend, channels.existing.contains(id) {
                state.accepted.append(.init(environment: .sandbox, request: request))
            } else if request.method == .delete {
                state.deleted.insert(id)
            }
        }
        return special
    }

    /// A node that dies before it can write something down, now and then.
    func crashing(_ store: EventStore) -> EventStore {
        var store = store
        store.channels = FailingChannels(
            base: store.channels,
            beforeChange: { (_) throws(EventStoreError) in
                guard self.next(5) != 1 else { throw .unavailable(detail: "died") }
            },
            beforeRecord: { () throws(EventStoreError) in
                guard self.next(6) != 1 else { throw .unavailable(detail: "died") }
            })
        return store
    }
}

extension Scene {
    private var order: ActivityID { ActivityID(rawValue: Fact.order) }

    fileprivate func rows() async throws -> [Channel] {
        let found = try await database.pool.query(
            "SELECT count(*) FROM channel WHERE tenant = $1 AND closed_at IS NULL",
            [.int4(tenant.rawValue)])
        let count = try found.first?.get(0, as: Int.self) ?? 0
        #expect(count <= 1)
        return try await store.channels.find(tenant, order, app.bundleID)
    }

    fileprivate func want() async throws {
        _ = try await store.channels.want(tenant, order, app, .none)
    }

    fileprivate func step(_ chance: Int, _ fact: Int, _ troubles: Troubles) async throws {
        let store = troubles.crashing(store)
        switch chance {
        case 0: try await want()
        case 1...3:
            clock.advance(by: 65)
            await sender(store).keepChannels()
        case 4: channels.loseAll()
        case 5, 6: try await report(.assigned("Driver \(fact)", minute: 5))
        default:
            clock.advance(by: 5)
            await sender(store).drain()
        }
    }

    /// Lets everything be made up for.
    fileprivate func complete() async {
        for _ in 0..<12 {
            clock.advance(by: 301)
            await sender().keepChannels()
            await sender().drain()
        }
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `Whatever happens to an activity's channel` {
    @Test(arguments: UInt64(1)...6)
    func `there is one at a time, which is sent the newest state and nothing after the end`(
        seed: UInt64
    ) async throws {
        let scene = try await Scene()
        let troubles = Troubles(seed: seed)
        scene.channels.answer { troubles.answer($0, scene.channels) }
        var random = SeededGenerator(seed: seed ^ 0xC0FFEE)
        try await scene.want()
        try await scene.report(.placed())
        for fact in 0..<30 {
            try await scene.step(.random(in: 0..<10, using: &random), fact, troubles)
            #expect(try await scene.rows().count <= 1)
        }
        troubles.end()
        await scene.complete()
        // A channel may be found lost by the one, and another be there for the next.
        for name in ["Second to last", "Last"] {
            try await scene.report(.assigned(name))
            await scene.complete()
        }
        let live = try #require(try await scene.rows().first)
        #expect(live.state == .open)
        #expect(scene.channels.existing.contains(live.channelID ?? ""))
        let newest = try await scene.ledger().last?.decision.version
        #expect(live.sentVersion == newest)
        try await scene.report(.delivered())
        await scene.send(after: 1)
        let ended = troubles.seen.accepted.count
        #expect(troubles.seen.accepted.last?.isEnd == true)
        try await scene.report(.located(10))
        for _ in 0..<3 { await scene.complete() }
        let seen = troubles.seen
        #expect(seen.accepted.count == ended)
        #expect(seen.usedAfterDeletion.isEmpty)
        let times = seen.accepted.compactMap(\.timestamp)
        #expect(times == Set(times).sorted())
        #expect(try await scene.rows().map(\.state) == [.deleted])
        #expect(!scene.channels.existing.contains(live.channelID ?? ""))
    }
}
