import Domain
import EventStore
import Foundation
import Pipeline
import Projections
import Replay
import TestSupport
import Testing

/// Policies from the door to the ledger, and back by replay.
struct `A policy that is put` {
    private func quiet(_ rule: String) -> Data {
        PolicyDocument(rules: [rule: "ambient"]).encoded
    }

    private func verdicts(_ shop: Shop) async throws -> [String] {
        try await shop.store.projections.decisions(shop.tenant, Shop.order, 0, 100).map {
            "\($0.decision.rule) \($0.decision.verdict.rawValue) \($0.decision.policyVersion)"
        }
    }

    @Test func `decides about what is recorded afterwards, whenever that is folded`()
        async throws
    {
        let shop = try await Shop()
        try await shop.place()
        try await shop.report("DriverAssigned", #"{"driverName":"Ada"}"#)
        _ = try await shop.store.policies.put(
            shop.tenant, "PizzaDelivery", nil, quiet("driverReassigned"))
        try await shop.report("DriverAssigned", #"{"driverName":"Bo"}"#)
        await shop.fold()
        #expect(
            try await verdicts(shop) == [
                "first timely 0", "driverAssigned alert 0", "driverReassigned quiet 1",
            ])
    }

    @Test func `leaves rebuilds, replays and verifications as they were`() async throws {
        let shop = try await Shop()
        try await shop.place()
        await shop.fold()
        let document = PolicyDocument(thresholds: ["dismissDeliveredSeconds": 60]).encoded
        _ = try await shop.store.policies.put(shop.tenant, "PizzaDelivery", nil, document)
        try await shop.report("OrderDelivered")
        await shop.fold()
        let before = try #require(
            try await shop.store.projections.snapshot(shop.tenant, Shop.order))
        let row = try #require(
            try await shop.store.projections.decisions(shop.tenant, Shop.order, 1, 1).first)
        #expect(
            row.decision.dismissAt?.seconds(since: row.decision.decidedAt) == 60)
        try await shop.rebuild()
        #expect(try await shop.store.projections.snapshot(shop.tenant, Shop.order) == before)
        let tenant = Tenant(id: shop.tenant, name: "shop")
        let report = try await Verifier.verify(
            History(shop.store, of: tenant), depth: .decisions)
        #expect(report.isSound, "\(report.defects)")
        let timeline = try await Timeline.read(
            History(shop.store, of: tenant), activity: Shop.order)
        #expect(timeline.entries.last?.recomputed?.dismissAt == row.decision.dismissAt)
    }

    @Test func `has alerts by keys in the ledger, and replays find the same`() async throws {
        let shop = try await Shop()
        try await shop.place()
        _ = try await shop.store.policies.put(
            shop.tenant, "PizzaDelivery", nil, PolicyDocument(words: "keys").encoded)
        try await shop.report("DriverAssigned", #"{"driverName":"Ada"}"#)
        await shop.fold()
        let row = try #require(
            try await shop.store.projections.decisions(shop.tenant, Shop.order, 1, 1).first)
        let alert = try #require(row.decision.alert)
        let title = AppText.key("islet.PizzaDelivery.driverAssigned.title", arguments: [])
        #expect(alert.keys?.title == title)
        #expect(alert.title == "Driver assigned")
        let tenant = Tenant(id: shop.tenant, name: "shop")
        let report = try await Verifier.verify(
            History(shop.store, of: tenant), depth: .decisions)
        #expect(report.isSound, "\(report.defects)")
    }

    @Test func `that nobody here can read keeps this node from folding`() async throws {
        let shop = try await Shop()
        _ = try await shop.store.policies.put(
            shop.tenant, "PizzaDelivery", nil, Data(#"{"thresholds":{"ofTomorrow":1}}"#.utf8))
        try await shop.place()
        await #expect(throws: EventStoreError.self) {
            try await shop.store.projections.foldNext(nil, 10, BatchFolder.fold)
        }
        #expect(try await shop.store.projections.checkpoint(shop.tenant) == 0)
    }
}
