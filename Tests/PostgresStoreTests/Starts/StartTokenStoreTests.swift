import DeliveryRules
import Domain
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

private struct StartScene {
    let delivery: DeliveryScene

    init() async throws { delivery = try await DeliveryScene() }

    var store: EventStore { delivery.store }

    func topics(_ names: String...) throws -> [AudienceTopic] {
        try names.map { try #require(AudienceTopic(rawValue: $0)) }
    }

    func put(
        _ installation: String, digit: String, topics: [AudienceTopic]
    ) async throws -> StartPut {
        try await store.startTokens.putToken(
            delivery.tenant,
            StartWish(
                installation: installation, kind: "Sample", token: Samples.token(digit),
                environment: .production, bundleID: "com.example", topics: topics,
                locale: "de", frequentUpdates: true, appBuild: "7", osMajor: 18))
    }

    func claim(after seconds: Double = 0) async throws -> DeliveryClaim {
        try #require(try await delivery.claim(after: seconds).first)
    }

    func intent(_ candidate: StartCandidate, _ state: StartState = .trying) -> StartIntent {
        StartIntent(
            candidate,
            start: CardStart(
                state: state, attempts: 1, firstTriedAt: delivery.now,
                dueAt: [.trying, .waiting, .held].contains(state) ? delivery.now : nil),
            budget: Data("{}".utf8))
    }

    /// A try as APNs answered it.
    func result(_ candidate: StartCandidate, _ state: StartState) throws -> StartResult {
        _ = try #require(candidate.token)
        return StartResult(candidate, start: CardStart(state: state, attempts: 1))
    }
}

@Test func `a start token is shown without the token, replaced and taken back`() async throws {
    let scene = try await StartScene()
    let tenant = scene.delivery.tenant
    #expect(
        try await scene.put("phone", digit: "1", topics: try scene.topics("a:1", "b:2")) == .new)
    #expect(
        try await scene.put("phone", digit: "2", topics: try scene.topics("b:2", "c:3"))
            == .changed)
    let tokens = try await scene.store.startTokens.tokens(tenant, "phone", "Sample")
    let token = try #require(tokens.first)
    #expect(tokens.count == 1)
    #expect(token.topics == ["b:2", "c:3"])
    #expect(token.environment == .production)
    #expect(token.locale == "de")
    #expect(token.frequentUpdates)
    #expect(token.appBuild == "7")
    #expect(token.osMajor == 18)
    #expect(!token.isDead)
    #expect(try await scene.store.startTokens.tokens(tenant, "phone", "Other").isEmpty)
    #expect(try await scene.store.startTokens.removeToken(tenant, "phone", "Sample") == 1)
    #expect(try await scene.store.startTokens.removeToken(tenant, "phone", "Sample") == 0)
    #expect(try await scene.store.startTokens.tokens(tenant, "phone", "Sample").isEmpty)
}

@Test func `a phone that has forgotten its installation is still the same phone`() async throws {
    let scene = try await StartScene()
    let topics = try scene.topics("a:1")
    _ = try await scene.put("before", digit: "1", topics: topics)
    _ = try await scene.store.startTokens.putAudience(
        scene.delivery.tenant, scene.delivery.activity, topics, nil)
    _ = try await scene.put("after", digit: "1", topics: topics)
    let claim = try await scene.claim()
    let page = try await scene.store.startDeliveries.page(claim, 0, 10)
    #expect(page.count == 1)
    #expect(
        try await scene.store.startTokens.tokens(scene.delivery.tenant, "before", "Sample").isEmpty)
}

@Test func `a start that is begun is begun once, no matter who asks`() async throws {
    let scene = try await StartScene()
    let topics = try scene.topics("a:1")
    _ = try await scene.put("phone", digit: "1", topics: topics)
    _ = try await scene.store.startTokens.putAudience(
        scene.delivery.tenant, scene.delivery.activity, topics, nil)
    let claim = try await scene.claim()
    #expect(claim.audience?.isDue == true)
    let found = try #require(try await scene.store.startDeliveries.page(claim, 0, 10).first)
    #expect(found.token?.pushToken == Samples.token("1"))
    #expect(found.start == nil)
    let begun = try await scene.store.startDeliveries.begin(claim, [scene.intent(found)])
    #expect(begun == [found.deviceID])
    let again = try await scene.store.startDeliveries.page(claim, 0, 10)
    #expect(again.map(\.start?.state) == [.trying])
    #expect(again.map(\.budgetVersion) == [1])
    let twice = try await scene.store.startDeliveries.begin(claim, [scene.intent(again[0])])
    #expect(twice.isEmpty)
    await scene.store.deliveries.release(claim)
    let later = try await scene.claim(after: 1)
    await #expect(throws: EventStoreError.self) {
        try await scene.store.startDeliveries.begin(claim, [scene.intent(again[0])])
    }
    try await scene.store.startDeliveries.markLeftoverStartsUnknown(later)
    let lost = try await scene.store.startDeliveries.page(later, 0, 10)
    #expect(lost.map(\.start?.state) == [.unknown])
}

@Test func `a budget that somebody else took from lets the start wait`() async throws {
    let scene = try await StartScene()
    let topics = try scene.topics("a:1")
    _ = try await scene.put("phone", digit: "1", topics: topics)
    _ = try await scene.store.startTokens.putAudience(
        scene.delivery.tenant, scene.delivery.activity, topics, nil)
    let claim = try await scene.claim()
    let found = try #require(try await scene.store.startDeliveries.page(claim, 0, 10).first)
    _ = try await scene.delivery.database.pool.query(
        "UPDATE start_device SET budget_version = budget_version + 1")
    let begun = try await scene.store.startDeliveries.begin(claim, [scene.intent(found)])
    #expect(begun.isEmpty)
    let waiting = try await scene.store.startDeliveries.due(claim, scene.delivery.now, 0, 10)
    #expect(waiting.map(\.start?.state) == [.waiting])
    #expect(waiting.map(\.start?.attempts) == [0])
    #expect(waiting.map(\.start?.firstTriedAt) == [nil])
}

@Test func `what was found for an audience is void once that is put again`() async throws {
    let scene = try await StartScene()
    let topics = try scene.topics("a:1")
    _ = try await scene.put("phone", digit: "1", topics: topics)
    let (tenant, activity) = (scene.delivery.tenant, scene.delivery.activity)
    _ = try await scene.store.startTokens.putAudience(tenant, activity, topics, nil)
    let claim = try await scene.claim()
    let found = try #require(try await scene.store.startDeliveries.page(claim, 0, 10).first)
    let put = try await scene.store.startTokens.putAudience(
        tenant, activity, try scene.topics("b:2"), nil)
    #expect(put == .changed)
    #expect(try await scene.store.startDeliveries.begin(claim, [scene.intent(found)]).isEmpty)
    try await scene.store.startDeliveries.finish(claim)
    let report = try #require(try await scene.store.startTokens.audience(tenant, activity))
    #expect(report.topics == ["b:2"])
    #expect(report.counts.isEmpty)
    #expect(!report.isComplete)
}

@Test
func
    `a phone is started once in each restart version, and a fresh card replaces its old one`()
    async throws
{
    let scene = try await StartScene()
    let (tenant, activity) = (scene.delivery.tenant, scene.delivery.activity)
    _ = try await scene.put("phone", digit: "1", topics: try scene.topics("a:1"))
    let wish = CardWish(
        token: Samples.token("2"), environment: .production, bundleID: "com.example",
        installation: "phone")
    _ = try await scene.store.registrations.change(
        tenant, activity, .register(wish), CardMachine.handle)
    let claim = try await scene.claim()
    let startStore = scene.store.startDeliveries
    let refused = try #require(try await startStore.page(claim, 3, 0, 10).first)
    #expect(refused.restartVersion == 3)
    #expect(try await startStore.begin(claim, [scene.intent(refused)]) == [refused.deviceID])
    try await startStore.record(claim, [try scene.result(refused, .refused)], nil)
    #expect(try await startStore.page(claim, 3, 0, 10).map(\.start?.state) == [.refused])
    #expect(try await startStore.replaced(claim, 0, 10).isEmpty)
    let found = try #require(try await startStore.page(claim, 5, 0, 10).first)
    #expect(found.start == nil)
    #expect(try await startStore.begin(claim, [scene.intent(found)]) == [found.deviceID])
    #expect(try await startStore.begin(claim, [scene.intent(found)]).isEmpty)
    try await startStore.record(claim, [try scene.result(found, .started)], nil)
    #expect(try await startStore.page(claim, 5, 0, 10).isEmpty)
    let replaced = try await startStore.replaced(claim, 0, 10)
    #expect(replaced.map(\.pushToken) == [Samples.token("2")])
    #expect(replaced.map(\.id) == [found.replacedRegistrationID])
    try await startStore.recordEnds(
        claim,
        replaced.map {
            PhoneResult(
                registrationID: $0.id, tokenVersion: $0.tokenVersion, effect: .accepted(version: 0))
        })
    #expect(try await startStore.replaced(claim, 0, 10).isEmpty)
}
