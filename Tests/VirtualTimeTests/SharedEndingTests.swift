import DeliveryRules
import Domain
import EventStore
import TestSupport
import Testing

/// A phone with a card, for which a fresh one is wanted.
private struct Ending {
    let store: EventStore
    let tenant: TenantID
    let activity = ActivityID(rawValue: "a")

    init(_ keeper: Keeper) async throws {
        store = try await keeper.open().first
        tenant = try await store.tenants.ensure("acme").id
        _ = try await store.startTokens.putToken(
            tenant,
            StartWish(
                installation: "one", kind: Sample.kind, token: Sample.token(8),
                environment: .production, bundleID: Sample.bundleID, topics: Sample.topics(["x"])))
        try await register(1)
        _ = try await store.log.append(tenant, [Sample.event("1")])
        _ = try await store.projections.foldNext(nil, 9) { Sample.fold($0, restarts: true) }
    }

    @discardableResult
    func register(_ token: Int) async throws -> CardChange.Answer {
        try await store.registrations.change(
            tenant, activity, .register(Sample.wish(token, "one")), CardMachine.handle
        ).change.answer
    }

    func rotate(_ token: Int, to next: Int) async throws {
        _ = try await store.registrations.change(
            tenant, activity, .rotate(from: Sample.token(token), to: Sample.token(next)),
            CardMachine.handle)
    }

    /// Cards that are served.
    func count() async throws -> Int { try await store.phoneCount(tenant, activity) }

    func claim(after seconds: Double) async throws -> DeliveryClaim? {
        try await store.deliveries.claimNext(9, .all, Sample.start.adding(seconds: seconds)).first
    }

    /// - Parameters:
    ///   - isOnItsWay: the start is written down before the event, and not after it.
    ///   - isLost: somebody else has the claim after the event.
    ///   - event: happens between the look for cards and the answer.
    func start(
        _ claim: DeliveryClaim, _ state: StartState, dueAt: Moment? = nil,
        isOnItsWay: Bool = true, isLost: Bool = false, meanwhile event: () async throws -> Void = {}
    ) async throws {
        let found = try #require(
            try await store.startDeliveries.page(claim, 1, 0, 9).first)
        let intent = StartIntent(
            found, start: CardStart(state: .trying, attempts: 1, dueAt: claim.claimedAt),
            budget: Sample.event("").data)
        if !isOnItsWay { try await event() }
        #expect(try await store.startDeliveries.begin(claim, [intent]) == [found.deviceID])
        if isOnItsWay { try await event() }
        let result = StartResult(
            found, start: CardStart(state: state, attempts: 1, dueAt: dueAt))
        if isLost {
            try await store.startDeliveries.recordAfterLosingClaim(claim, [result])
        } else {
            try await store.startDeliveries.record(claim, [result], nil)
        }
    }

    func replaced(_ claim: DeliveryClaim) async throws -> [Registration] {
        try await store.startDeliveries.replaced(claim, 0, 9)
    }

    /// - Parameters:
    ///   - result: of the end that the old card was sent.
    ///   - event: happens before its answer.
    func end(
        _ claim: DeliveryClaim, _ result: PhoneResult.Effect,
        meanwhile event: () async throws -> Void = {}
    ) async throws {
        let results = try await replaced(claim).map {
            PhoneResult(registrationID: $0.id, tokenVersion: $0.tokenVersion, effect: result)
        }
        try await event()
        try await store.startDeliveries.recordEnds(claim, results)
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `A card that a fresh one has taken the place of, in memory as on Postgres` {
    @Test(arguments: Keeper.allCases)
    func `is due until its end has an answer that is final`(keeper: Keeper) async throws {
        let scene = try await Ending(keeper)
        let first = try #require(try await scene.claim(after: 0))
        try await scene.start(first, .started)
        // The node dies before it sends the end.
        await scene.store.deliveries.release(first)
        let second = try #require(try await scene.claim(after: 1))
        #expect(second.openRestartVersion == 1)
        #expect(try await scene.replaced(second).map(\.pushToken) == [Sample.token(1)])
        let later = Sample.start.adding(seconds: 5)
        try await scene.end(second, .retry(at: later, reason: "busy"))
        try await scene.store.deliveries.complete(second)
        #expect(try await scene.store.deliveries.nextDue() == later)
        #expect(try await scene.claim(after: 4) == nil)
        let third = try #require(try await scene.claim(after: 5))
        #expect(third.openRestartVersion == 1 && !third.mayStartCards)
        #expect(try await scene.replaced(third).map(\.attempts) == [1])
        try await scene.end(third, .accepted(version: 1))
        #expect(try await scene.replaced(third).isEmpty)
        try await scene.store.deliveries.complete(third)
        #expect(try await scene.claim(after: 900) == nil)
    }

    @Test(arguments: Keeper.allCases, [false, true])
    func `is ended by the token that it got while the fresh one was on its way`(
        keeper: Keeper, isOnItsWay: Bool
    ) async throws {
        let scene = try await Ending(keeper)
        let claim = try #require(try await scene.claim(after: 0))
        try await scene.start(claim, .started, isOnItsWay: isOnItsWay) {
            try await scene.rotate(1, to: 2)
        }
        #expect(try await scene.count() == 0)
        #expect(try await scene.replaced(claim).map(\.pushToken) == [Sample.token(2)])
        try await scene.register(3)
        #expect(try await scene.count() == 1)
        #expect(try await scene.replaced(claim).map(\.pushToken) == [Sample.token(2)])
        try await scene.end(claim, .accepted(version: 1))
        #expect(try await scene.replaced(claim).isEmpty)
    }

    @Test(arguments: Keeper.allCases)
    func `is ended, and not the fresh one, although that was registered before APNs' answer`(
        keeper: Keeper
    ) async throws {
        let scene = try await Ending(keeper)
        let claim = try #require(try await scene.claim(after: 0))
        try await scene.start(claim, .started) { try await scene.register(2) }
        #expect(try await scene.count() == 1)
        #expect(try await scene.replaced(claim).map(\.pushToken) == [Sample.token(1)])
    }

    @Test(arguments: Keeper.allCases)
    func `is ended although the claim was lost before APNs' answer was written down`(
        keeper: Keeper
    ) async throws {
        let scene = try await Ending(keeper)
        let first = try #require(try await scene.claim(after: 0))
        try await scene.start(first, .started, isLost: true) {
            await scene.store.deliveries.release(first)
            let second = try #require(try await scene.claim(after: 1))
            try await scene.store.startDeliveries.markLeftoverStartsUnknown(second)
            #expect(try await scene.replaced(second).isEmpty)
            await scene.store.deliveries.release(second)
        }
        #expect(try await scene.count() == 0)
        let third = try #require(try await scene.claim(after: 2))
        #expect(third.openRestartVersion == 1)
        #expect(try await scene.replaced(third).map(\.pushToken) == [Sample.token(1)])
    }

    @Test(arguments: Keeper.allCases)
    func `lets newer changes overtake until the fresh one is due again`(
        keeper: Keeper
    ) async throws {
        let scene = try await Ending(keeper)
        let first = try #require(try await scene.claim(after: 0))
        #expect(first.mayStartCards)
        let later = Sample.start.adding(seconds: 60)
        try await scene.start(first, .waiting, dueAt: later)
        try await scene.store.deliveries.complete(first)
        _ = try await scene.store.log.append(scene.tenant, [Sample.event("2")])
        _ = try await scene.store.projections.foldNext(nil, 9) { Sample.fold($0) }
        let second = try #require(try await scene.claim(after: 1))
        #expect(second.openRestartVersion == 1)
        #expect(!second.mayStartCards)
        try await scene.store.deliveries.complete(second)
        let third = try #require(try await scene.claim(after: 60))
        #expect(third.mayStartCards)
    }

    @Test(arguments: Keeper.allCases)
    func `needs no end when it has died`(keeper: Keeper) async throws {
        let scene = try await Ending(keeper)
        let first = try #require(try await scene.claim(after: 0))
        // Nobody knows whether the fresh one is there.
        try await scene.start(first, .unknown)
        let old = try #require(
            try await scene.store.deliveries.page(first, false, Sample.start, 0, 9).first)
        let dead = PhoneResult.Effect.dead(reason: "gone", since: nil, retryAt: Sample.start)
        try await scene.store.deliveries.record(
            first,
            [
                PhoneResult(
                    registrationID: old.id, tokenVersion: old.tokenVersion, effect: dead)
            ])
        try await scene.store.deliveries.complete(first)
        try await scene.register(2)
        let second = try #require(try await scene.claim(after: 1))
        #expect(second.openRestartVersion == nil)
        #expect(try await scene.replaced(second).isEmpty)
    }

    @Test(arguments: Keeper.allCases, [false, true])
    func `does not come back once it was sent its end, unless it is served by then`(
        keeper: Keeper, isServed: Bool
    ) async throws {
        let scene = try await Ending(keeper)
        let claim = try #require(try await scene.claim(after: 0))
        // Nobody knows whether the fresh one is there, until the phone has another token.
        try await scene.start(claim, .unknown)
        try await scene.register(2)
        #expect(try await scene.replaced(claim).map(\.pushToken) == [Sample.token(1)])
        try await scene.end(claim, .accepted(version: 1)) {
            if isServed { try await scene.register(1) }
        }
        try await scene.register(2)
        let late = try await scene.register(1)
        #expect(late == (isServed ? .registered : .closed(.replaced)))
    }
}
