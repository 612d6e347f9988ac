import Domain
import EventStore
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct `A start whose push never left, in memory as on Postgres` {
    private struct Scene {
        let store: EventStore
        let claim: DeliveryClaim

        /// A phone that an activity's card is to be started on, which is claimed.
        init(_ keeper: Keeper) async throws {
            store = try await keeper.open().first
            let tenant = try await store.tenants.ensure("acme").id
            let topics = Sample.topics(["x"])
            _ = try await store.startTokens.putToken(
                tenant,
                StartWish(
                    installation: "one", kind: Sample.kind, token: Sample.token(8),
                    environment: .production, bundleID: Sample.bundleID, topics: topics))
            _ = try await store.startTokens.putAudience(
                tenant, ActivityID(rawValue: "a"), topics, nil)
            _ = try await store.log.append(tenant, [Sample.event("1")])
            _ = try await store.projections.foldNext(nil, 9) { Sample.fold($0) }
            claim = try #require(try await store.deliveries.claimNext(9, .all, Sample.start).first)
        }

        func candidate() async throws -> StartCandidate {
            try #require(try await store.startDeliveries.page(claim, 0, 9).first)
        }

        func begin(_ found: StartCandidate) async throws {
            let start = CardStart(
                state: .trying, attempts: 1, firstTriedAt: Sample.start, dueAt: Sample.start)
            let intent = StartIntent(found, start: start, budget: Sample.event("").data)
            #expect(try await store.startDeliveries.begin(claim, [intent]) == [found.deviceID])
        }

        func note(_ found: StartCandidate, _ start: CardStart) async throws {
            let result = StartResult(found, start: start, isUnsent: true)
            try await store.startDeliveries.record(claim, [result], nil)
        }
    }

    @Test(arguments: Keeper.allCases)
    func `gives back what it took from the budget, and has not been tried`(
        keeper: Keeper
    ) async throws {
        let scene = try await Scene(keeper)
        let found = try await scene.candidate()
        #expect(found.budget == nil)
        try await scene.begin(found)
        #expect(try await scene.candidate().budget != nil)
        try await scene.note(found, CardStart(dueAt: Sample.start))
        let again = try await scene.candidate()
        #expect(again.budget == nil)
        #expect(again.budgetVersion == 2)
        #expect(again.start == CardStart(dueAt: Sample.start))
        // It is given back once, whatever is taken since.
        try await scene.begin(again)
        try await scene.note(found, CardStart(dueAt: Sample.start))
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
