import Domain
import EventStore
import Foundation
import Postgres
import PostgresStore
import TestSupport
import Testing

/// Claims of what the node has decided itself.
struct BufferedClaimTests {
    private func claimDecided(
        _ scene: DeliveryScene, after seconds: Double = 0
    ) async throws -> [DeliveryClaim] {
        try await scene.store.deliveries.claimNext(
            10, .hinted, scene.now.adding(seconds: seconds))
    }

    /// A node keeps what it decides from the first time on that somebody asks.
    private func scene(_ verdicts: [Verdict] = []) async throws -> DeliveryScene {
        let scene = try await DeliveryScene()
        let claim = try #require(try await scene.claim(after: -10).first)
        try await scene.store.deliveries.complete(claim, scene.outcome(1))
        #expect(try await claimDecided(scene).isEmpty)
        for verdict in verdicts { try await scene.change(verdict) }
        return scene
    }

    @Test func `it is the claim that looking gives, and has the phones besides`() async throws {
        let scene = try await scene([.alert, .hold, .timely])
        _ = try await scene.register("a")
        let fresh = try #require(try await claimDecided(scene).first)
        #expect(fresh.pending.map(\.version) == [2, 4])
        #expect(fresh.lastCompleted?.version == 1)
        #expect(fresh.timestamp == scene.now.unixSeconds)
        #expect(fresh.phones?.map(\.pushToken) == [Samples.token("a")])
        let page = try await scene.store.deliveries.page(fresh, false, scene.now, 0, 10)
        #expect(page == fresh.phones)
        #expect(try await claimDecided(scene, after: 5).isEmpty)
        #expect(try await scene.claim(after: 5).isEmpty)
        await scene.store.deliveries.release(fresh)
        var looked = try #require(try await scene.claim(after: 1).first)
        #expect(looked.phones == nil)
        (looked.timestamp, looked.claimedAt) = (fresh.timestamp, fresh.claimedAt)
        looked.phones = fresh.phones
        #expect(String(reflecting: looked) == String(reflecting: fresh))
    }

    @Test func `nothing is claimed twice in a second, and what is left is found by looking`()
        async throws
    {
        let scene = try await scene([.timely])
        let first = try #require(try await claimDecided(scene).first)
        try await scene.change(.alert)
        // Owned: it is kept for later.
        #expect(try await claimDecided(scene).isEmpty)
        try await scene.store.deliveries.complete(first, scene.outcome(2))
        #expect(try await claimDecided(scene).isEmpty)
        #expect(try await claimDecided(scene, after: 1).isEmpty)
        // Nor is the activity kept from others.
        let other = EventStore.postgres(pool: scene.database.makePool())
        #expect(try await scene.claim(other, after: 1).first?.pending.map(\.version) == [3])
    }

    @Test func `a claim that is cancelled gives back what it took, and no other is void by it`()
        async throws
    {
        let scene = try await scene([.timely])
        let owned = try #require(try await claimDecided(scene).first)
        _ = try await scene.store.log.append(scene.tenant, [Samples.event("other", "order-2")])
        try await Samples.foldAll(scene.store, .timely)
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await claimDecided(scene)
        }
        await #expect(throws: EventStoreError.self) { try await cancelled.value }
        try await scene.store.deliveries.complete(owned, scene.outcome(2))
        #expect(try await scene.ledger().last?.outcome?.carriedBy == 2)
        let next = try await scene.claim(after: 1)
        #expect(next.map(\.snapshot.activityID.rawValue) == ["order-2"])
    }

    @Test func `what another node owns, and what is held or waits, is left alone`() async throws {
        let scene = try await scene([.timely])
        let other = EventStore.postgres(pool: scene.database.makePool())
        let theirs = try #require(try await scene.claim(other).first)
        #expect(try await claimDecided(scene, after: 1).isEmpty)
        try await other.deliveries.complete(theirs, scene.outcome(2))
        try await scene.change(.hold)
        #expect(try await claimDecided(scene, after: 2).isEmpty)
        try await scene.change(.timely)
        #expect(try await claimDecided(scene, after: 2).first?.pending.map(\.version) == [4])
    }

    @Test
    func `a fan-out of few phones is written down when it is completed, but not its failures`()
        async throws
    {
        let scene = try await scene([.timely])
        let phones = [try await scene.register("a"), try await scene.register("b")]
        _ = try await scene.database.pool.query("UPDATE registration SET retry_at = NULL")
        func results(_ second: PhoneResult.Effect) -> [PhoneResult] {
            zip(phones, [.accepted(version: 2), second]).map { id, result in
                PhoneResult(
                    registrationID: id, tokenVersion: 1, effect: result,
                    needsNoWrite: result == .accepted(version: 2))
            }
        }
        func cursor() async throws -> Int64? {
            try await scene.database.pool.query("SELECT round_cursor FROM delivery_state").first?
                .optional(0)
        }
        let claim = try #require(try await claimDecided(scene).first)
        try await scene.store.deliveries.record(claim, results(.accepted(version: 2)))
        #expect(try await cursor() == nil)
        try await scene.store.deliveries.record(
            claim, results(.retry(at: scene.now, reason: "busy")))
        #expect(try await cursor() == phones[1])
        try await scene.store.deliveries.complete(claim, scene.outcome(2))
        #expect(try await cursor() == nil)
        #expect(try await scene.ledger().last?.outcome?.carriedBy == 2)
    }

    @Test func `what was seen while looking for others need not be looked for`() async throws {
        let scene = try await DeliveryScene([])
        #expect(try await claimDecided(scene).isEmpty)
        // Decided elsewhere: this node has heard of none of it.
        let other = EventStore.postgres(pool: scene.database.makePool())
        let names = (0..<30).map { "order-\($0)" }
        _ = try await other.log.append(scene.tenant, names.map { Samples.event($0, $0) })
        try await Samples.foldAll(other)
        #expect(try await claimDecided(scene).isEmpty)
        let looked = try await scene.store.deliveries.claimNext(12, .all, scene.now)
        let seen = try await scene.store.deliveries.claimNext(30, .hinted, scene.now)
        #expect(looked.count == 12)
        #expect(seen.count == 18)
        #expect(Set((looked + seen).map(\.snapshot.activityID)).count == 30)
    }

    @Test func `fan-outs that end together are completed each under its own claim`() async throws {
        let scene = try await DeliveryScene([])
        let names = (0..<30).map { "order-\($0)" }
        _ = try await scene.store.log.append(scene.tenant, names.map { Samples.event($0, $0) })
        try await Samples.foldAll(scene.store)
        let claims = try await scene.store.deliveries.claimNext(30, .all, scene.now)
        #expect(claims.count == 30)
        // Somebody else has taken one over.
        _ = try await scene.database.pool.query(
            "UPDATE delivery_state SET last_timestamp = last_timestamp + 1 WHERE activity_id = $1",
            [.text("order-7")])
        let refused = await withTaskGroup(of: String?.self) { group in
            for (number, claim) in claims.enumerated() {
                group.addTask {
                    var outcome = scene.outcome(1)
                    outcome.accepted = number
                    do throws(EventStoreError) {
                        try await scene.store.deliveries.complete(claim, outcome)
                        return nil
                    } catch { return claim.snapshot.activityID.rawValue }
                }
            }
            return await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
        }
        #expect(refused == ["order-7"])
        for (number, claim) in claims.enumerated() {
            let row = try #require(
                try await scene.store.projections.decisions(
                    scene.tenant, claim.snapshot.activityID, 0, 1
                ).first)
            let isTheirs = claim.snapshot.activityID.rawValue == "order-7"
            #expect(row.outcome?.accepted == (isTheirs ? nil : number))
        }
    }
}
