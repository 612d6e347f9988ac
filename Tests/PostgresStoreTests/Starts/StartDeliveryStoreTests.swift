import DeliveryRules
import Domain
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

/// An activity with an audience, and phones that are called as the digit of their token.
private struct AudienceScene {
    let delivery: DeliveryScene

    init() async throws { delivery = try await DeliveryScene() }

    var tenant: TenantID { delivery.tenant }
    var activity: ActivityID { delivery.activity }
    var now: Moment { delivery.now }
    var starts: any StartTokenStore { delivery.store.startTokens }
    var startStore: any StartDeliveryStore { delivery.store.startDeliveries }

    private func topics(_ names: [String]) throws -> [AudienceTopic] {
        try names.map { try #require(AudienceTopic(rawValue: $0)) }
    }

    func put(
        _ phone: String, token digit: String? = nil, following names: [String] = ["team:a"],
        of other: TenantID? = nil
    ) async throws {
        let followed = try topics(names)
        _ = try await starts.putToken(
            other ?? tenant,
            StartWish(
                installation: phone, kind: "Sample", token: Samples.token(digit ?? phone),
                environment: .production, bundleID: "com.example", topics: followed))
    }

    @discardableResult
    func wish(_ names: [String] = ["team:a"], notBefore: Moment? = nil) async throws -> StartPut {
        let wished = try topics(names)
        return try await starts.putAudience(tenant, activity, wished, notBefore)
    }

    func claim(after seconds: Double = 0) async throws -> DeliveryClaim {
        try #require(try await delivery.claim(after: seconds).first)
    }

    func report() async throws -> AudienceReport {
        try #require(try await starts.audience(tenant, activity))
    }

    func register(_ phone: String, token digit: String) async throws {
        let wish = CardWish(
            token: Samples.token(digit), environment: .production, bundleID: "com.example",
            installation: phone)
        _ = try await delivery.store.registrations.change(
            tenant, activity, .register(wish), CardMachine.handle)
    }

    func intent(
        _ candidate: StartCandidate, _ state: StartState, after seconds: Double = 0
    ) -> StartIntent {
        let open: Set<StartState> = [.trying, .waiting, .held]
        let dueAt = open.contains(state) ? now.adding(seconds: seconds) : nil
        return StartIntent(
            candidate, start: CardStart(state: state, attempts: 1, dueAt: dueAt),
            budget: Data("{}".utf8))
    }

    func result(
        _ candidate: StartCandidate, _ state: StartState, isTokenDead: Bool = false
    ) throws -> StartResult {
        _ = try #require(candidate.token)
        return StartResult(
            candidate, start: CardStart(state: state, attempts: 1), isTokenDead: isTokenDead)
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `The store of starts that are sent` {
    @Test func `pages the whole audience by device, a phone once, and no other tenant's`()
        async throws
    {
        let scene = try await AudienceScene()
        let other = try await scene.delivery.store.tenants.ensure("other").id
        try await scene.put("1", following: ["team:a", "team:b"])
        try await scene.put("9", of: other)
        try await scene.put("2", following: ["team:b"])
        try await scene.put("4", following: ["team:c"])
        try await scene.put("3", following: ["team:b", "team:a"])
        try await scene.wish(["team:a", "team:b"])
        let claim = try await scene.claim()
        let first = try await scene.startStore.page(claim, 0, 2)
        try #require(first.count == 2)
        #expect(first.map(\.token?.pushToken) == [Samples.token("1"), Samples.token("2")])
        let second = try await scene.startStore.page(claim, first[1].deviceID, 2)
        #expect(second.map(\.token?.pushToken) == [Samples.token("3")])
        let last = try #require(second.last)
        #expect(try await scene.startStore.page(claim, last.deviceID, 2).isEmpty)
    }

    @Test func `gives those that wait by device, once their time has come`() async throws {
        let scene = try await AudienceScene()
        for phone in ["1", "2", "3"] { try await scene.put(phone) }
        try await scene.wish()
        let claim = try await scene.claim()
        let page = try await scene.startStore.page(claim, 0, 10)
        try #require(page.count == 3)
        let intents = [
            scene.intent(page[0], .waiting), scene.intent(page[1], .held, after: 60),
            scene.intent(page[2], .needless),
        ]
        #expect(try await scene.startStore.begin(claim, intents).isEmpty)
        let ids = page.map(\.deviceID)
        let later = scene.now.adding(seconds: 60)
        let startStore = scene.startStore
        #expect(try await startStore.due(claim, scene.now, 0, 10).map(\.deviceID) == [ids[0]])
        #expect(
            try await startStore.due(claim, later, 0, 10).map(\.deviceID) == [ids[0], ids[1]])
        #expect(try await startStore.due(claim, later, 0, 1).map(\.deviceID) == [ids[0]])
        #expect(try await startStore.due(claim, later, ids[0], 10).map(\.deviceID) == [ids[1]])
        let report = try await scene.report()
        #expect(report.counts == [.waiting: 1, .held: 1, .needless: 1])
        #expect(report.nextAt == scene.now)
    }

    @Test func `takes a token for dead, unless the app has put one since`() async throws {
        let scene = try await AudienceScene()
        for phone in ["1", "2"] { try await scene.put(phone) }
        try await scene.wish()
        let claim = try await scene.claim()
        let page = try await scene.startStore.page(claim, 0, 10)
        try #require(page.count == 2)
        _ = try await scene.startStore.begin(claim, page.map { scene.intent($0, .trying) })
        try await scene.put("2", token: "5")
        try await scene.startStore.record(
            claim, try page.map { try scene.result($0, .refused, isTokenDead: true) }, nil)
        let dead = try await scene.starts.tokens(scene.tenant, "1", "Sample")
        let renewed = try await scene.starts.tokens(scene.tenant, "2", "Sample")
        #expect(dead.map(\.isDead) == [true])
        #expect(renewed.map(\.isDead) == [false])
        // That one is tried.
        let due = try await scene.startStore.due(claim, scene.now, 0, 10)
        #expect(due.map(\.token?.pushToken) == [Samples.token("5")])
        #expect(try await scene.report().counts == [.refused: 1, .waiting: 1])
    }

    @Test func `remembers how far an audience was looked through, and never less`() async throws {
        let scene = try await AudienceScene()
        try await scene.wish()
        let claim = try await scene.claim()
        #expect(claim.audience?.cursor == 0)
        try await scene.startStore.record(claim, [], 7)
        try await scene.startStore.record(claim, [], 3)
        try await scene.startStore.record(claim, [], nil)
        await scene.delivery.store.deliveries.release(claim)
        #expect(try await scene.claim(after: 1).audience?.cursor == 7)
    }

    @Test func `looks through an audience again only for another wish`() async throws {
        let scene = try await AudienceScene()
        for phone in ["1", "2"] { try await scene.put(phone) }
        #expect(try await scene.wish(["team:a", "team:b"]) == .new)
        let claim = try await scene.claim()
        let page = try await scene.startStore.page(claim, 0, 10)
        try #require(page.count == 2)
        _ = try await scene.startStore.begin(
            claim, [scene.intent(page[0], .trying), scene.intent(page[1], .waiting, after: 60)])
        try await scene.startStore.record(claim, [scene.result(page[0], .started)], nil)
        try await scene.startStore.finish(claim)
        #expect(try await scene.wish(["team:b", "team:a"]) == .known)
        let same = try await scene.report()
        #expect(same.isComplete)
        #expect(same.counts == [.started: 1, .waiting: 1])
        let later = scene.now.adding(seconds: 600)
        #expect(try await scene.wish(["team:a", "team:b"], notBefore: later) == .changed)
        // A sender that looked for the earlier wish has not looked for this one.
        try await scene.startStore.record(claim, [], 9)
        try await scene.startStore.finish(claim)
        let another = try await scene.report()
        #expect(!another.isComplete)
        #expect(another.notBefore == later)
        // What was started stays, and what only waited is found again.
        #expect(another.counts == [.started: 1])
        await scene.delivery.store.deliveries.release(claim)
        #expect(try await scene.claim(after: 601).audience?.cursor == 0)
    }

    @Test func `starts nothing any more once the activity has ended`() async throws {
        let scene = try await AudienceScene()
        for phone in ["1", "2"] { try await scene.put(phone) }
        try await scene.wish()
        let claim = try await scene.claim()
        let page = try await scene.startStore.page(claim, 0, 10)
        try #require(page.count == 2)
        _ = try await scene.startStore.begin(
            claim, [scene.intent(page[0], .waiting), scene.intent(page[1], .trying)])
        try await scene.startStore.close(claim)
        try await scene.put("3")
        #expect(try await scene.startStore.due(claim, scene.now, 0, 10).isEmpty)
        let report = try await scene.report()
        #expect(report.isClosed)
        #expect(report.nextAt == nil)
        #expect(report.counts == [.needless: 1, .trying: 1])
    }

    @Test func `writes nothing once a later claim was given out`() async throws {
        let scene = try await AudienceScene()
        try await scene.put("1")
        try await scene.wish()
        let claim = try await scene.claim()
        let startStore = scene.startStore
        let found = try #require(try await startStore.page(claim, 0, 10).first)
        let intent = scene.intent(found, .trying)
        // By another node, of which this one has not heard.
        _ = try await scene.delivery.database.pool.query(
            "UPDATE delivery_state SET last_timestamp = last_timestamp + 1")
        await #expect(throws: EventStoreError.self) {
            try await startStore.markLeftoverStartsUnknown(claim)
        }
        await #expect(throws: EventStoreError.self) { try await startStore.begin(claim, [intent]) }
        await #expect(throws: EventStoreError.self) { try await startStore.record(claim, [], 9) }
        await #expect(throws: EventStoreError.self) { try await startStore.finish(claim) }
        await #expect(throws: EventStoreError.self) { try await startStore.close(claim) }
        let report = try await scene.report()
        #expect(report.counts.isEmpty)
        #expect(!report.isComplete && !report.isClosed)
    }

    @Test func `takes what came of a void claim's own starts, and of no others`() async throws {
        let scene = try await AudienceScene()
        for phone in ["1", "2", "3"] { try await scene.put(phone) }
        try await scene.wish()
        let startStore = scene.startStore
        let lost = try await scene.claim()
        let page = try await startStore.page(lost, 0, 10)
        try #require(page.count == 3)
        _ = try await startStore.begin(lost, page.prefix(2).map { scene.intent($0, .trying) })
        await scene.delivery.store.deliveries.release(lost)
        let claim = try await scene.claim(after: 1)
        _ = try await startStore.begin(claim, [scene.intent(page[2], .trying)])
        let results = [
            try scene.result(page[0], .started), try scene.result(page[1], .refused),
            try scene.result(page[2], .started),
        ]
        // Before the new owner has looked and after it.
        try await startStore.recordAfterLosingClaim(lost, [results[0]])
        #expect(try await scene.report().counts == [.started: 1, .trying: 2])
        try await startStore.markLeftoverStartsUnknown(claim)
        #expect(try await scene.report().counts == [.started: 1, .unknown: 1, .trying: 1])
        try await startStore.recordAfterLosingClaim(lost, results)
        #expect(try await scene.report().counts == [.started: 1, .refused: 1, .trying: 1])
        // What APNs has not answered is final.
        try await startStore.recordAfterLosingClaim(claim, [scene.result(page[2], .unknown)])
        try await startStore.recordAfterLosingClaim(claim, [results[2]])
        #expect(try await scene.report().counts == [.started: 1, .refused: 1, .unknown: 1])
    }

    @Test func `takes what came of a start that is only just being written down`() async throws {
        let scene = try await AudienceScene()
        try await scene.put("1")
        try await scene.wish()
        let (database, startStore) = (scene.delivery.database, scene.startStore)
        let claim = try await scene.claim()
        let found = try #require(try await startStore.page(claim, 0, 10).first)
        _ = try await startStore.begin(claim, [scene.intent(found, .waiting)])
        let result = try scene.result(found, .started)
        // The server goes on with what it was sent by a connection that is gone.
        let gone = try await database.pool.openDedicated()
        try await gone.script("BEGIN; SELECT FROM delivery_state FOR SHARE")
        _ = try await gone.query(
            "UPDATE card_start SET state = 'trying', claimed_by = $1", [.int8(claim.timestamp)])
        async let handedIn: Void = startStore.recordAfterLosingClaim(claim, [result])
        try await database.waitForLock()
        try await gone.script("COMMIT")
        try await handedIn
        #expect(try await scene.report().counts == [.started: 1])
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `The store of fresh cards` {
    @Test func `forgets what waits for an earlier version, and neither first starts nor tries`()
        async throws
    {
        let scene = try await AudienceScene()
        try await scene.wish()
        for phone in ["1", "2"] {
            try await scene.put(phone)
            try await scene.register(phone, token: phone == "1" ? "a" : "b")
        }
        let claim = try await scene.claim()
        let startStore = scene.startStore
        let page = try await startStore.page(claim, 3, 0, 10)
        try #require(page.count == 2)
        _ = try await startStore.begin(
            claim, [scene.intent(page[0], .waiting), scene.intent(page[1], .trying)])
        try await startStore.overtake(claim, 3)
        #expect(
            try await startStore.due(claim, 3, scene.now, 0, 10).map(\.deviceID)
                == [page[0].deviceID])
        try await startStore.overtake(claim, 5)
        #expect(try await startStore.due(claim, 3, scene.now, 0, 10).isEmpty)
        let states = try await startStore.page(claim, 3, 0, 10).map(\.start?.state)
        #expect(states == [nil, .trying])
        #expect(try await scene.report().counts == [.waiting: 2])
    }
}
