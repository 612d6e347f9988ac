import Domain
import EventStore
import JSON
import Pipeline
import Testing

@testable import API

extension PostgresAPI {
    /// An order into which an event that nobody understands was reported, and another one after it.
    func park(_ order: String) async throws {
        try await report("DriverAssigned", order, #"{"driverName":7}"#)
        try await report("OrderPickedUp", order)
        try await fold()
    }

    func skip(_ position: Int64) async throws {
        let repair = Repair(store, tenant: tenant)
        let result = try #require(try await repair.skip(position).result)
        #expect(result.remaining == 0)
    }

    func follow(_ query: String) async throws -> StreamReader {
        try StreamReader(try await call("GET", "/v1/stream?\(query)").response)
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `Followers hear of an activity` {
    @Test func `that becomes blocked, and of its release, although it has no newer event`()
        async throws
    {
        let shop = try await PostgresAPI.make()
        try await shop.place("order-1")
        try await shop.place("order-2")
        try await shop.fold()
        var reader = try await shop.follow("after=latest")
        #expect(try await reader.next()?.event == "ready")

        try await shop.park("order-1")
        try await shop.report("OrderAccepted", "order-2")
        try await shop.fold()
        let blockage = try #require(try await reader.next())
        #expect(blockage.data?["activity"]?["id"]?.text == "order-1")
        #expect(blockage.data?["activity"]?["fault"]?.text?.contains("driverName") == true)
        #expect(blockage.id == 3)
        #expect(try await reader.next()?.data?["activity"]?["id"]?.text == "order-2")

        try await shop.skip(3)
        let release = try #require(try await reader.next())
        #expect(release.data?["activity"]?["id"]?.text == "order-1")
        #expect(release.data?["activity"]?["version"] == .integer(3))
        #expect(release.data?["activity"]?["fault"]?.text == nil)
        #expect(release.data?["decision"]?["version"] == .integer(3))
        #expect(release.id == 5)

        // And goes on with what comes after.
        try await shop.report("OrderDelivered", "order-1")
        try await shop.fold()
        #expect(try await reader.next()?.data?["activity"]?["version"] == .integer(4))
    }

    @Test func `that was released while they were away, by a filter too`() async throws {
        let shop = try await PostgresAPI.make()
        for order in ["order-1", "order-2"] { try await shop.place(order) }
        try await shop.park("order-1")
        try await shop.place("order-3")
        try await shop.fold()
        var before = try await shop.follow("faulted=true")
        #expect(try await before.next()?.data?["activity"]?["id"]?.text == "order-1")
        _ = try await before.next()
        try await shop.skip(3)
        let left = try await before.next()
        #expect(left?.event == "removed" && left?.data?["id"]?.text == "order-1")

        // 5 is what was folded when it was released: who has it may have missed the release.
        for seen in [4, 5] {
            var back = try await shop.follow("after=\(seen)")
            var told: [String?] = []
            while let message = try await back.next(), message.event == "activity" {
                told.append(message.data?["activity"]?["id"]?.text)
            }
            #expect(told == (seen == 4 ? ["order-3", "order-1"] : ["order-1"]))
        }
        // A client that begins gets each activity once.
        var fresh = try await shop.follow("")
        var told: [String?] = []
        while let message = try await fresh.next(), message.event == "activity" {
            told.append(message.data?["activity"]?["id"]?.text)
        }
        #expect(told == ["order-2", "order-3", "order-1"])
    }

    @Test func `of which nothing is left`() async throws {
        let shop = try await PostgresAPI.make()
        try await shop.report("DriverAssigned", "order-1", #"{"driverName":7}"#)
        try await shop.fold()
        var reader = try await shop.follow("")
        #expect(try await reader.next()?.data?["activity"]?["id"]?.text == "order-1")
        #expect(try await reader.next()?.event == "ready")
        try await shop.skip(1)
        let left = try await reader.next()
        #expect(left?.event == "removed" && left?.data?["id"]?.text == "order-1")
        // Under the same name again.
        try await shop.place("order-1")
        try await shop.fold()
        let again = try await reader.next()
        #expect(again?.event == "activity" && again?.id == 2)
    }

    @Test func `only when something about it changed`() async throws {
        let shop = try await PostgresAPI.make()
        try await shop.place("order-1")
        try await shop.park("order-1")
        var reader = try await shop.follow("after=latest")
        #expect(try await reader.next()?.event == "ready")
        let repair = Repair(shop.store, tenant: shop.tenant)
        #expect(try await repair.retry(nil).first?.remaining == 2)
        try await shop.place("order-2")
        try await shop.fold()
        #expect(try await reader.next()?.data?["activity"]?["id"]?.text == "order-2")
    }
}
