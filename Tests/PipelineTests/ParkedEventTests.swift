import DeliveryRules
import Domain
import EventStore
import Foundation
import Pipeline
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(3)))
struct `Parked events` {
    private func repair(_ shop: Shop) -> Repair { Repair(shop.store, tenant: shop.tenant) }

    /// Positions of the events that are left out.
    private func skipped(_ shop: Shop) async throws -> [Int64] {
        try await shop.store.upkeep.allParked(shop.tenant).filter(\.isSkipped)
            .map(\.event.position)
    }

    /// What the log gives when nothing is parked.
    private func foldedAfresh(
        _ shop: Shop, without position: Int64 = 0
    ) async throws -> FoldResult {
        let events = try await shop.store.log.read(shop.tenant, 0, 500)
        return BatchFolder.fold(
            FoldBatch(
                tenant: shop.tenant, events: events.filter { $0.position != position },
                snapshots: [:]))
    }

    /// An order whose second event nobody understood.
    private func stuckOrder() async throws -> Shop {
        let shop = try await Shop()
        try await shop.place()
        try await shop.report("DriverAssigned", #"{"driverName":"Ada"}"#)
        try await shop.report("OrderPickedUp")
        try await shop.fold(parking: [2])
        return shop
    }

    /// What a retry leaves behind even if it changes nothing: the act itself is written down.
    private static let restless: Set = ["projection_checkpoint", "audit_entry"]

    @Test func `are counted and listed with their reasons`() async throws {
        let shop = try await stuckOrder()
        let status = try #require(try await shop.store.upkeep.status().first)
        #expect(status.tenant.name == "shop")
        #expect(status.checkpoint == 3 && status.head == 3)
        #expect(status.lagSeconds == 0)
        #expect(status.parked == 2 && status.skipped == 0 && status.blocked == 1)
        #expect(status.rebuild == nil)
        let rows = try await shop.store.upkeep.allParked(shop.tenant)
        #expect(rows.map(\.event.position) == [2, 3])
        #expect(rows.map(\.version) == [2, 3])
        #expect(
            rows.map(\.type) == ["PizzaDelivery.DriverAssigned", "PizzaDelivery.OrderPickedUp"])
        #expect(rows[1].event.reason == "an earlier event of the activity is parked")
        let others = try await shop.store.upkeep.allParked(
            shop.tenant, ActivityID(rawValue: "other"))
        #expect(others == [])
    }

    @Test func `are folded by a retry, and only the newest change is sent`() async throws {
        let shop = try await stuckOrder()
        let results = try await repair(shop).retry(nil)
        #expect(results.map(\.activityID) == [Shop.order])
        #expect(results.first?.released == 2 && results.first?.remaining == 0)
        let expected = try await foldedAfresh(shop)
        #expect(try await shop.snapshot() == expected.snapshots.first)
        let decisions = try await shop.decisions()
        #expect(decisions.map(\.version) == [1, 2, 3])
        #expect(decisions[1].rule == UnparkedHistory.historyRule)
        #expect(decisions[1].verdict == .hold && decisions[1].alert == nil)
        #expect(decisions[2] == expected.decisions[2])
        #expect(try await shop.store.upkeep.allParked(shop.tenant) == [])
        // What comes after goes on from there.
        try await shop.report("OrderDelivered")
        await shop.fold()
        #expect(try await shop.decisions().last?.verdict == .end)
    }

    @Test func `that ended the activity end it on the phones`() async throws {
        let shop = try await Shop()
        try await shop.place()
        try await shop.report("OrderDelivered")
        try await shop.report("OrderPickedUp")
        try await shop.fold(parking: [2])
        _ = try await repair(shop).retry(Shop.order)
        let decisions = try await shop.decisions()
        #expect(decisions.dropFirst().map(\.verdict) == [.hold, .end])
        #expect(decisions.last?.rule == UnparkedHistory.newestRule)
        #expect(decisions.last?.dismissAt != nil)
    }

    @Test func `are retried a second time without any effect`() async throws {
        let shop = try await stuckOrder()
        _ = try await repair(shop).retry(nil)
        let before = try await shop.database.contents(
            of: shop.tenant, except: Self.restless)
        let acts = try await shop.store.audit.list(shop.tenant, nil, 10).count
        #expect(try await repair(shop).retry(nil) == [])
        #expect(try await repair(shop).retry(Shop.order) == [])
        #expect(try await repair(shop).retry(ActivityID(rawValue: "nobody's")) == [])
        #expect(try await shop.store.audit.list(shop.tenant, nil, 10).count == acts)
        #expect(
            try await shop.database.contents(of: shop.tenant, except: Self.restless)
                == before)
    }

    @Test func `stay parked when they still cannot be folded`() async throws {
        let shop = try await Shop()
        try await shop.place()
        try await shop.report("DriverAssigned", #"{"driverName":7}"#)
        try await shop.report("OrderPickedUp")
        await shop.fold()
        let before = try await shop.database.contents(
            of: shop.tenant, except: Self.restless)
        let result = try #require(try await repair(shop).retry(nil).first)
        #expect(result.released == 0 && result.remaining == 2)
        #expect(result.reason?.contains("driverName") == true)
        #expect(
            try await shop.database.contents(of: shop.tenant, except: Self.restless)
                == before)
    }

    @Test func `are left out once skipped`() async throws {
        let shop = try await Shop()
        try await shop.place()
        try await shop.report("DriverAssigned", #"{"driverName":7}"#)
        try await shop.report("OrderPickedUp")
        await shop.fold()
        let result = try #require(try await repair(shop).skip(2).result)
        #expect(result.released == 1 && result.remaining == 0)
        let expected = try await foldedAfresh(shop, without: 2)
        #expect(try await shop.snapshot() == expected.snapshots.first)
        #expect(try await shop.decisions() == expected.decisions)
        #expect(try await skipped(shop) == [2])
        guard case .skippedAlready(let again) = try await repair(shop).skip(2) else {
            Issue.record("The event was skipped twice.")
            return
        }
        #expect(again.activityID == result.activityID && again.released == 0)
        let status = try #require(try await shop.store.upkeep.status().first)
        #expect(status.parked == 0 && status.skipped == 1 && status.blocked == 0)
        // The stream goes on over the gap, also when it is folded again.
        try await shop.report("OrderDelivered")
        await shop.fold()
        try await shop.rebuild()
        #expect(try await shop.decisions().map(\.version) == [1, 3, 4])
        #expect(try await shop.snapshot()?.phase == .ended)
    }

    @Test func `cannot be skipped when they are not parked`() async throws {
        let shop = try await stuckOrder()
        #expect(try await repair(shop).skip(1) == .notParked)
        #expect(try await repair(shop).skip(99) == .notParked)
        #expect(try await skipped(shop) == [])
    }

    @Test func `cannot be skipped while they wait behind the one that is wrong`() async throws {
        let shop = try await Shop()
        try await shop.place()
        try await shop.report("Match.FullTimeReached")
        try await shop.report("DriverAssigned", #"{"driverName":7}"#)
        try await shop.report("OrderPickedUp")
        try await shop.report("OrderDelivered")
        await shop.fold()
        #expect(try await repair(shop).skip(4) == .waits(behind: 3))
        #expect(try await repair(shop).skip(5) == .waits(behind: 3))
        #expect(try await skipped(shop) == [])
        let result = try #require(try await repair(shop).skip(3).result)
        #expect(result.released == 2 && result.remaining == 1)
        #expect(try await shop.snapshot()?.phase == .ended)
    }

    @Test func `leave no activity behind when there was nothing else of it`() async throws {
        let shop = try await Shop()
        try await shop.report("DriverAssigned", #"{"driverName":7}"#)
        await shop.fold()
        #expect(try await shop.snapshot()?.blockage != nil)
        #expect(try await repair(shop).skip(1).result?.remaining == 0)
        #expect(try await shop.snapshot() == nil)
        try await shop.place()
        await shop.fold()
        #expect(try await shop.snapshot()?.version == 2)
    }

    @Test func `of another kind are skipped without touching the activity`() async throws {
        let shop = try await Shop()
        try await shop.place()
        try await shop.report("Match.FullTimeReached")
        await shop.fold()
        let before = try await shop.snapshot()
        let decisions = try await shop.decisions()
        #expect(try await repair(shop).retry(nil).first?.remaining == 1)
        #expect(try await repair(shop).skip(2).result?.remaining == 0)
        #expect(try await shop.snapshot() == before)
        #expect(try await shop.decisions() == decisions)
    }

    @Test func `are refolded only as far as the checkpoint`() async throws {
        let shop = try await stuckOrder()
        try await shop.report("OrderDelivered")
        _ = try await repair(shop).retry(nil)
        #expect(try await shop.decisions().map(\.version) == [1, 2, 3])
        #expect(try await shop.snapshot()?.version == 3)
        await shop.fold()
        #expect(try await shop.decisions().map(\.version) == [1, 2, 3, 4])
    }

    @Test func `of one tenant are nothing to another`() async throws {
        let shop = try await stuckOrder()
        let other = try await shop.store.tenants.ensure("other").id
        let repair = Repair(shop.store, tenant: other)
        #expect(try await repair.retry(nil) == [])
        #expect(try await repair.skip(2) == .notParked)
        #expect(try await shop.snapshot()?.blockage != nil)
    }

    @Test func `never take an activity back`() async throws {
        let shop = try await Shop()
        try await shop.place()
        try await shop.report("OrderAccepted")
        await shop.fold()
        var events = try await shop.store.log.read(shop.tenant, 0, 10)
        events[1].event.data = Data("[]".utf8)
        let input = RefoldInput(
            events: events, stored: try await shop.snapshot(), decided: [1, 2])
        #expect(Unparking.fold(input) == nil)
    }

    @Test func `that a rebuild can fold get their decisions as by a retry`() async throws {
        let shop = try await stuckOrder()
        try await shop.rebuild()
        let expected = try await foldedAfresh(shop)
        #expect(try await shop.snapshot() == expected.snapshots.first)
        #expect(try await shop.decisions().map(\.version) == [1, 2, 3])
        #expect(try await shop.decisions()[1].rule == UnparkedHistory.historyRule)
        #expect(try await shop.store.upkeep.allParked(shop.tenant) == [])
    }
}
