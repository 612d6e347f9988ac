import DeliveryRules
import Domain
import EventStore
import TestSupport
import Testing

/// A phone whose two tokens came in the wrong order, of which no rotation was reported.
private struct LateCard {
    let store: EventStore
    let tenant: TenantID
    let activity = ActivityID(rawValue: "a")

    init(_ keeper: Keeper) async throws {
        store = try await keeper.open().first
        tenant = try await store.tenants.ensure("acme").id
        try await register(2)
        try await register(1)
        _ = try await store.log.append(tenant, [Sample.event("1")])
        _ = try await store.projections.foldNext(nil, 9) { Sample.fold($0) }
    }

    @discardableResult
    func register(_ token: Int) async throws -> CardChange.Answer {
        try await ask(.register(Sample.wish(token, "one")))
    }

    @discardableResult
    func ask(_ request: CardRequest) async throws -> CardChange.Answer {
        try await store.registrations.change(tenant, activity, request, CardMachine.handle)
            .change.answer
    }

    /// Tokens of those that are served, and what they were sent.
    func served(after seconds: Double) async throws -> [(token: PushToken, version: Int64)] {
        let now = Sample.start.adding(seconds: seconds)
        let claim = try #require(try await store.deliveries.claimNext(9, .all, now).first)
        let page = try await store.deliveries.page(claim, false, claim.claimedAt, 0, 9)
        let gone = PhoneResult.Effect.dead(reason: "gone", since: nil, retryAt: now)
        try await store.deliveries.record(
            claim,
            page.map {
                PhoneResult(
                    registrationID: $0.id, tokenVersion: $0.tokenVersion, effect: gone)
            })
        try await store.deliveries.complete(claim)
        return page.map { ($0.pushToken, $0.sentVersion) }
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `A card whose older token came last, in memory as on Postgres` {
    @Test(arguments: Keeper.allCases)
    func `is served under the newer one when that registers again`(keeper: Keeper) async throws {
        let scene = try await LateCard(keeper)
        // APNs says that it is dead.
        #expect(try await scene.served(after: 0).map(\.token) == [Sample.token(1)])
        #expect(try await scene.register(2) == .registered)
        let served = try await scene.served(after: 1)
        #expect(served.map(\.token) == [Sample.token(2)])
        // It was sent nothing while it was closed.
        #expect(served.map(\.version) == [0])
    }

    @Test(arguments: Keeper.allCases)
    func `is served under the newer one for good once the rotation was reported`(
        keeper: Keeper
    ) async throws {
        let scene = try await LateCard(keeper)
        let rotation = CardRequest.rotate(from: Sample.token(1), to: Sample.token(2))
        #expect(try await scene.ask(rotation) == .rotated)
        #expect(try await scene.register(1) == .closed(.replaced))
        #expect(try await scene.served(after: 0).map(\.token) == [Sample.token(2)])
    }

    @Test(arguments: Keeper.allCases)
    func `is served under neither when what was served was taken back`(
        keeper: Keeper
    ) async throws {
        let scene = try await LateCard(keeper)
        try await scene.ask(.remove(Sample.token(1)))
        #expect(try await scene.register(2) == .closed(.replaced))
        #expect(try await scene.store.phoneCount(scene.tenant, scene.activity) == 0)
    }

    @Test(arguments: Keeper.allCases)
    func `is served under the newer one when what was served has ended`(
        keeper: Keeper
    ) async throws {
        let scene = try await LateCard(keeper)
        try await scene.ask(.report(.token(Sample.token(1)), .ended))
        #expect(try await scene.register(2) == .registered)
        #expect(try await scene.store.phoneCount(scene.tenant, scene.activity) == 1)
    }
}
