import DeliveryRules
import Domain
import EventStore
import Postgres
import TestSupport
import Testing

private let app = AppInEnvironment(bundleID: "com.example", environment: .sandbox)

extension DeliveryScene {
    @discardableResult
    fileprivate func ask(_ request: CardRequest) async throws -> CardChange.Answer {
        try await store.registrations.change(tenant, activity, request, CardMachine.handle)
            .change.answer
    }

    fileprivate func listen(
        _ installation: String, _ app: AppInEnvironment = app
    ) async throws -> CardChange.Answer {
        try await ask(.listen(installation: installation, with: app))
    }

    fileprivate func register(as installation: String) async throws -> CardChange.Answer {
        try await ask(
            .register(
                CardWish(
                    token: Samples.token("a"), environment: .sandbox, bundleID: app.bundleID,
                    installation: installation)))
    }

    fileprivate func followers(_ app: AppInEnvironment = app) async throws -> ChannelFollowers {
        try await store.channels.followers(tenant, activity, app)
    }

    /// As if a card was started on a phone that follows the activity.
    fileprivate func start(_ installation: String, _ state: StartState) async throws {
        let topics = [try #require(AudienceTopic(rawValue: "a:1"))]
        _ = try await store.startTokens.putAudience(tenant, activity, topics, nil)
        _ = try await store.startTokens.putToken(
            tenant,
            StartWish(
                installation: installation, kind: "Sample",
                token: Samples.token("\(installation.count)"), environment: .sandbox,
                bundleID: app.bundleID, topics: topics, osMajor: 18))
        _ = try await database.pool.query(
            """
            UPDATE card_start SET state = $1, first_tried_at = clock_timestamp(), claimed_by = 1,
                due_at = CASE WHEN $1 = 'trying' THEN timestamptz 'epoch' END
            WHERE device_id = (SELECT id FROM start_device WHERE installation = $2)
            """, [.text(state.rawValue), .text(installation)])
    }

    fileprivate func openChannel() async throws {
        _ = try await store.channels.want(tenant, activity, app, .none)
        _ = try await database.pool.query(
            "UPDATE channel SET state = 'open', channel_id = 'x', opened_at = 'epoch'")
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `A phone that listens` {
    @Test func `is known, counted once however often it asks, and by app`() async throws {
        let scene = try await DeliveryScene([])
        for _ in 0..<3 { #expect(try await scene.listen("one") == .listening) }
        #expect(try await scene.listen("two") == .listening)
        let other = AppInEnvironment(bundleID: "com.other", environment: .production)
        #expect(try await scene.listen("two", other) == .listening)
        #expect(try await scene.followers() == .init(listening: 2))
        #expect(try await scene.followers(other) == .init(listening: 1))
        #expect(try await scene.ask(.report(.installation("one"), .stale)) == .noted)
        #expect(try await scene.followers().listening == 2)
        #expect(try await scene.ask(.report(.installation("one"), .ended)) == .noted)
        #expect(try await scene.followers().listening == 1)
        let moved = AppInEnvironment(bundleID: app.bundleID, environment: .production)
        #expect(try await scene.listen("two", moved) == .listening)
        #expect(try await scene.followers().listening == 0)
    }

    @Test func `and dismissed its card is given no other one`() async throws {
        let scene = try await DeliveryScene([])
        _ = try await scene.listen("one")
        #expect(try await scene.ask(.report(.installation("one"), .dismissed)) == .noted)
        #expect(try await scene.listen("one") == .closed(.dismissed))
        #expect(try await scene.register(as: "one") == .closed(.dismissed))
        #expect(try await scene.followers() == .init())
        #expect(try await scene.ask(.report(.installation("two"), .dismissed)) == .unknown)
    }

    @Test func `and dismissed a card that nobody has heard of is given no other one`() async throws
    {
        let scene = try await DeliveryScene()
        let gone = CardRequest.report(
            .installation("one", bundleID: app.bundleID), .dismissed)
        for _ in 0..<2 { #expect(try await scene.ask(gone) == .noted) }
        #expect(try await scene.followers() == .init())
        #expect(try await scene.listen("one") == .closed(.dismissed))
        #expect(try await scene.register(as: "one") == .closed(.dismissed))
        try await scene.start("two", .refused)
        _ = try await scene.ask(
            .report(.installation("two", bundleID: app.bundleID), .dismissed))
        let claim = try #require(try await scene.claim().first)
        #expect(try await scene.store.startDeliveries.page(claim, 0, 10).map(\.hasCard) == [true])
    }

    @Test(arguments: [true, false])
    func `and dismissed a card unheard of is given no other one after an earlier one ended`(
        listened: Bool
    ) async throws {
        let scene = try await DeliveryScene([])
        _ = try await listened ? scene.listen("one") : scene.register(as: "one")
        #expect(try await scene.ask(.report(.installation("one"), .ended)) == .noted)
        let gone = CardRequest.report(
            .installation("one", bundleID: app.bundleID), .dismissed)
        for _ in 0..<2 { #expect(try await scene.ask(gone) == .noted) }
        #expect(try await scene.followers() == .init())
        #expect(try await scene.listen("one") == .closed(.dismissed))
        let fresh = CardWish(
            token: Samples.token("b"), environment: .sandbox, bundleID: app.bundleID,
            installation: "one")
        #expect(try await scene.ask(.register(fresh)) == .closed(.dismissed))
    }

    @Test func `and registers a token has a card with a token`() async throws {
        let scene = try await DeliveryScene([])
        _ = try await scene.listen("one")
        #expect(try await scene.register(as: "one") == .registered)
        #expect(try await scene.followers() == .init(served: 1))
        #expect(try await scene.listen("one") == .listening)
        #expect(try await scene.followers() == .init(moved: 1, listening: 1))
    }

    @Test func `is noted once by many requests at a time`() async throws {
        let scene = try await DeliveryScene([])
        try await withThrowingTaskGroup(of: CardChange.Answer.self) { group in
            for _ in 0..<8 { group.addTask { try await scene.listen("one") } }
            for try await answer in group { #expect(answer == .listening) }
        }
        #expect(try await scene.followers() == .init(listening: 1))
    }

    @Test(arguments: [StartState.started, .unknown, .trying])
    func `since its card was started is heard when it tells that it is gone`(
        state: StartState
    ) async throws {
        let scene = try await DeliveryScene()
        try await scene.openChannel()
        try await scene.start("phone", state)
        let listening = state == .started ? 1 : 0
        #expect(try await scene.followers() == .init(listening: listening))
        #expect(try await scene.ask(.report(.installation("phone"), .active)) == .noted)
        #expect(try await scene.followers() == .init(listening: listening))
        #expect(try await scene.ask(.report(.installation("phone"), .dismissed)) == .noted)
        #expect(try await scene.followers() == .init())
        #expect(try await scene.listen("phone") == .closed(.dismissed))
        #expect(try await scene.register(as: "phone") == .closed(.dismissed))
    }

    @Test func `is unknown when its card was surely not started`() async throws {
        let scene = try await DeliveryScene()
        try await scene.start("phone", .refused)
        #expect(try await scene.ask(.report(.installation("phone"), .dismissed)) == .unknown)
    }

    @Test func `has a card, or had one, for a node that starts cards`() async throws {
        let scene = try await DeliveryScene()
        for name in ["a", "bb", "ccc"] { try await scene.start(name, .refused) }
        _ = try await scene.listen("a")
        _ = try await scene.listen("bb")
        _ = try await scene.ask(.report(.installation("bb"), .dismissed))
        let claim = try #require(try await scene.claim().first)
        let page = try await scene.store.startDeliveries.page(claim, 0, 10)
        #expect(page.map(\.hasCard) == [true, true, false])
    }
}
