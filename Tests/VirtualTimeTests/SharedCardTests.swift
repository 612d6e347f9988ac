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
        try await ask(.register(Sample.wish(2, "one")))
        try await ask(.register(Sample.wish(1, "one")))
        _ = try await store.log.append(tenant, [Sample.event("1")])
        _ = try await store.projections.foldNext(nil, 9) { Sample.fold($0) }
    }

    @discardableResult
    func ask(_ request: CardRequest) async throws -> CardChange.Answer {
        try await store.registrations.change(tenant, activity, request, CardMachine.handle)
            .change.answer
    }

    func claim(after seconds: Double) async throws -> DeliveryClaim {
        let now = Sample.start.adding(seconds: seconds)
        return try #require(try await store.deliveries.claimNext(9, .all, now).first)
    }

    /// - Returns: what the store has to say of the phones that a page went to.
    func push(_ claim: DeliveryClaim, _ result: PhoneResult.Effect) async throws -> [PushToken] {
        let page = try await page(claim)
        try await store.deliveries.record(
            claim,
            page.map {
                PhoneResult(
                    registrationID: $0.id, tokenVersion: $0.tokenVersion, effect: result)
            })
        return try await store.registrations.died(tenant, activity, page.map(\.id))
    }

    func page(_ claim: DeliveryClaim) async throws -> [Registration] {
        try await store.deliveries.page(claim, false, claim.claimedAt, 0, 9)
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `A card whose older token came last, in memory as on Postgres` {
    private static let gone = PhoneResult.Effect.dead(
        reason: "gone", since: nil, retryAt: Sample.start)

    @Test(arguments: Keeper.allCases)
    func `is served under the newer one when the older one has died`(keeper: Keeper) async throws {
        let scene = try await LateCard(keeper)
        let first = try await scene.claim(after: 0)
        #expect(try await scene.push(first, Self.gone) == [Sample.token(1)])
        #expect(try await scene.ask(.died(Sample.token(1))) == .known)
        try await scene.store.deliveries.complete(first)
        let second = try await scene.claim(after: 1)
        let page = try await scene.page(second)
        #expect(page.map(\.pushToken) == [Sample.token(2)])
        // It was sent nothing while it was closed.
        #expect(page.map(\.sentVersion) == [0])
        // There is no other one left.
        #expect(try await scene.push(second, Self.gone).isEmpty)
        #expect(try await scene.ask(.died(Sample.token(2))) == .unknown)
    }

    @Test(arguments: Keeper.allCases)
    func `stays as it is when APNs does not know the token, or takes it`(
        keeper: Keeper
    ) async throws {
        for result in [PhoneResult.Effect.unfit(reason: "unknown here"), .accepted(version: 1)] {
            let scene = try await LateCard(keeper)
            #expect(try await scene.push(try await scene.claim(after: 0), result).isEmpty)
            #expect(try await scene.ask(.died(Sample.token(1))) == .unknown)
        }
    }

    @Test(arguments: Keeper.allCases)
    func `has no token to come back to once the rotation was reported`(
        keeper: Keeper
    ) async throws {
        let scene = try await LateCard(keeper)
        let rotation = CardRequest.rotate(from: Sample.token(1), to: Sample.token(2))
        #expect(try await scene.ask(rotation) == .rotated)
        #expect(try await scene.push(try await scene.claim(after: 0), Self.gone).isEmpty)
    }
}
