import Domain
import EventStore
import Foundation
import TestSupport
import Testing

/// A phone that an activity's card is to be started on, which is claimed.
private struct Starting {
    let store: EventStore
    let tenant: TenantID
    let activity = ActivityID(rawValue: "a")
    let first: DeliveryClaim

    init(_ keeper: Keeper) async throws {
        store = try await keeper.open().first
        tenant = try await store.tenants.ensure("acme").id
        let topics = Sample.topics(["x"])
        _ = try await store.startTokens.putToken(
            tenant,
            StartWish(
                installation: "one", kind: Sample.kind, token: Sample.token(8),
                environment: .production, bundleID: Sample.bundleID, topics: topics))
        _ = try await store.startTokens.putAudience(tenant, activity, topics, nil)
        _ = try await store.log.append(tenant, [Sample.event("1")])
        _ = try await store.projections.foldNext(nil, 9) { Sample.fold($0) }
        first = try #require(try await store.deliveries.claimNext(9, .all, Sample.start).first)
    }

    /// The first claim is lost, and there is another one.
    func takeOver() async throws -> DeliveryClaim {
        await store.deliveries.release(first)
        let later = Sample.start.adding(seconds: 1)
        let claim = try #require(try await store.deliveries.claimNext(9, .all, later).first)
        try await store.startDeliveries.markLeftoverStartsUnknown(claim)
        return claim
    }

    func candidate(_ claim: DeliveryClaim? = nil) async throws -> StartCandidate {
        try #require(try await store.startDeliveries.page(claim ?? first, 0, 9).first)
    }

    func begin(_ found: StartCandidate, _ claim: DeliveryClaim? = nil) async throws {
        let start = CardStart(
            state: .trying, attempts: 1, firstTriedAt: Sample.start, dueAt: Sample.start)
        let intent = StartIntent(found, start: start, budget: Sample.event("").data)
        let begun = try await store.startDeliveries.begin(claim ?? first, [intent])
        #expect(begun == [found.deviceID])
    }

    func unsent(_ found: StartCandidate) -> StartResult {
        StartResult(found, start: CardStart(dueAt: Sample.start), isUnsent: true)
    }

    func counts() async throws -> [StartState: Int] {
        try await store.startTokens.audience(tenant, activity)?.counts ?? [:]
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `A start whose claim was lost, in memory as on Postgres` {
    @Test(arguments: Keeper.allCases)
    func `is its sender's until another one tries it`(keeper: Keeper) async throws {
        let scene = try await Starting(keeper)
        let startStore = scene.store.startDeliveries
        let found = try await scene.candidate()
        try await scene.begin(found)
        let claim = try await scene.takeOver()
        #expect(try await scene.counts() == [.unknown: 1])
        try await startStore.recordAfterLosingClaim(scene.first, [scene.unsent(found)])
        let later = Sample.start.adding(seconds: 1)
        let again = try #require(try await startStore.due(claim, later, 0, 9).first)
        #expect(again.budget == nil)
        #expect(again.start == CardStart(dueAt: Sample.start))
        try await scene.begin(again, claim)
        try await startStore.recordAfterLosingClaim(scene.first, [scene.unsent(found)])
        #expect(try await scene.counts() == [.trying: 1])
        #expect(try await scene.candidate(claim).budgetVersion == 3)
        let started = StartResult(again, start: CardStart(state: .started, attempts: 1))
        try await startStore.recordAfterLosingClaim(claim, [started])
        #expect(try await scene.counts() == [.started: 1])
    }

    @Test(arguments: Keeper.allCases)
    func `and that never began gives back nothing of what another one took`(
        keeper: Keeper
    ) async throws {
        let scene = try await Starting(keeper)
        let found = try await scene.candidate()
        let claim = try await scene.takeOver()
        try await scene.begin(found, claim)
        try await scene.store.startDeliveries.recordAfterLosingClaim(
            scene.first, [scene.unsent(found)])
        #expect(try await scene.counts() == [.trying: 1])
        #expect(try await scene.candidate(claim).budgetVersion == 1)
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `A start whose push never left, in memory as on Postgres` {
    @Test(arguments: Keeper.allCases)
    func `gives back what it took from the budget, and has not been tried`(
        keeper: Keeper
    ) async throws {
        let scene = try await Starting(keeper)
        let startStore = scene.store.startDeliveries
        let found = try await scene.candidate()
        #expect(found.budget == nil)
        try await scene.begin(found)
        #expect(try await scene.candidate().budget != nil)
        try await startStore.record(scene.first, [scene.unsent(found)], nil)
        let again = try await scene.candidate()
        #expect(again.budget == nil)
        #expect(again.budgetVersion == 2)
        #expect(again.start == CardStart(dueAt: Sample.start))
        // It is given back once, whatever is taken since.
        try await scene.begin(again)
        try await startStore.record(scene.first, [scene.unsent(found)], nil)
        #expect(try await scene.candidate().budget != nil)
        #expect(try await scene.candidate().budgetVersion == 3)
    }
}

@Suite(.timeLimit(.minutes(3)))
struct `An audience of what is planned, in memory as on Postgres` {
    @Test(arguments: Keeper.allCases)
    func `is looked through again when a policy changes quiet hours`(keeper: Keeper) async throws {
        let store = try await keeper.open().first
        let tenant = try await store.tenants.ensure("acme").id
        _ = try await store.startTokens.putAudience(
            tenant, ActivityID(rawValue: "a"), Sample.topics(["x"]), nil)
        _ = try await store.log.append(tenant, [Sample.event("1")])
        _ = try await store.projections.foldNext(nil, 9) { batch in
            var outcome = Sample.fold(batch, .hold)
            for index in outcome.snapshots.indices { outcome.snapshots[index].phase = .scheduled }
            return outcome
        }
        let claim = try #require(try await store.deliveries.claimNext(9, .all, Sample.start).first)
        try await store.startDeliveries.finish(claim)
        try await store.deliveries.complete(claim)
        func put(_ document: String, _ kind: String = Sample.kind) async throws -> Moment? {
            _ = try await store.policies.put(tenant, kind, nil, Data(document.utf8))
            return try await store.deliveries.nextDue()
        }
        let hours = #"{"quietHours":{"from":"22:00","to":"07:00","timeZone":"UTC"}}"#
        #expect(try await put("{}") == nil)
        #expect(try await put(hours, "Other") == nil)
        #expect(try await put(hours) == nil, "nothing was held before")
        #expect(try await put("{}") != nil)
    }
}
