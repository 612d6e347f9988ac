import Domain
import EventStore
import JSON
import Pipeline
import Postgres
import TestSupport
import Testing

@testable import API

extension PostgresAPI {
    /// By the clock that events and notices are dated by.
    fileprivate func sinceNow() async throws -> String {
        let rows = try await database.pool.query(
            """
            SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
            """)
        let now: String = try #require(rows.first).get(0)
        return "updatedSince=\(now)"
    }

    fileprivate func tag(_ target: String) async throws -> String {
        try #require(try await call("GET", target).header("etag"))
    }

    /// As many orders as there are, of which each third has something parked.
    fileprivate func crowd(_ count: Int) async throws {
        for number in 1...count { try await place("order-\(100 + number)") }
        for number in stride(from: 3, through: count, by: 3) {
            try await report("DriverAssigned", "order-\(100 + number)", #"{"driverName":7}"#)
        }
        try await fold()
    }
}

private let ever = "updatedSince=2020-01-01T00:00:00Z"

@Suite(.timeLimit(.minutes(2)))
struct `A list in order of last changes has` {
    @Test func `what was parked, and then what was released, although nothing was folded in`()
        async throws
    {
        let shop = try await PostgresAPI.make()
        for order in ["order-1", "order-2"] { try await shop.place(order) }
        try await shop.fold()
        let beforeParking = try await shop.sinceNow()
        #expect(try await shop.ids(beforeParking) == [])

        try await shop.park("order-1")
        #expect(try await shop.ids(beforeParking) == ["order-1"])
        #expect(try await shop.ids("\(beforeParking)&faulted=true") == ["order-1"])
        #expect(try await shop.ids("\(beforeParking)&faulted=false") == [])
        #expect(try await shop.ids(ever) == ["order-2", "order-1"])

        // A client that asks from now on hears of the release, although its events are older.
        let beforeRelease = try await shop.sinceNow()
        #expect(try await shop.ids(beforeRelease) == [])
        try await shop.skip(3)
        for query in [beforeRelease, "\(beforeRelease)&faulted=false", "\(beforeRelease)&q=7"] {
            #expect(try await shop.ids(query) == ["order-1"], "\(query)")
        }
        #expect(try await shop.ids(try await shop.sinceNow()) == [])
    }

    @Test func `what was released behind the end of the log, once`() async throws {
        let shop = try await PostgresAPI.make()
        for order in ["order-1", "order-2"] { try await shop.place(order) }
        try await shop.park("order-1")
        // Recorded before the release and folded in after it, at a later place than the notice.
        try await shop.report("OrderDelivered", "order-1")
        let since = try await shop.sinceNow()
        try await shop.skip(3)
        #expect(try await shop.ids(since) == ["order-1"])
        try await shop.fold()
        #expect(try await shop.ids(since) == ["order-1"])
        #expect(try await shop.ids(ever) == ["order-2", "order-1"])
    }

    @Test(arguments: [1, 2, 3, 5, 500])
    func `each once, however long its pages are`(limit: Int) async throws {
        let shop = try await PostgresAPI.make()
        try await shop.crowd(12)
        // Noticed at one position, one after the other, and the last of them has an event since.
        for position in [15, 14, 16] { try await shop.skip(Int64(position)) }
        try await shop.report("OrderAccepted", "order-112")
        try await shop.report("OrderAccepted", "order-101")
        try await shop.fold()
        let middle = ["102", "104", "105", "107", "108", "110", "111", "103", "109", "106"]
        #expect(
            try await shop.ids(ever, limit: limit)
                == (middle + ["112", "101"]).map { "order-\($0)" })
        #expect(
            try await shop.ids("\(ever)&faulted=false&kind=PizzaDelivery", limit: limit).count
                == 11)
    }

    @Test func `a place between two notices at one position`() async throws {
        let shop = try await PostgresAPI.make()
        try await shop.crowd(6)
        for position in [8, 7] { try await shop.skip(Int64(position)) }
        let target = "/v1/activities?\(ever)&limit=5"
        let page = try await shop.call("GET", target).json()
        let next = try #require(page["next"]?.text)
        #expect(next.contains("after=8-"))
        let rest = try await shop.call("GET", next).json()
        #expect(rest["activities"]?.elements.map { $0["id"]?.text } == ["order-103"])
        // From before there were such places: a position has all of them after it.
        #expect(try await shop.ids("\(ever)&after=8") == ["order-106", "order-103"])
        for wrong in ["8-", "-8", "8-1-1", "8-x", ""] {
            try await shop.call("GET", "/v1/activities?\(ever)&after=\(wrong)")
                .expectProblem(.invalidParameter)
        }
    }

    @Test func `nothing left out while it is parked and released`() async throws {
        let shop = try await PostgresAPI.make()
        try await shop.crowd(12)
        let before = Set(try await shop.ids(ever))
        var seen: [String] = []
        var next: String? = "/v1/activities?limit=2&\(ever)"
        var parked: [Int64] = [13, 14, 15, 16]
        while let target = next {
            let page = try await shop.call("GET", target).json()
            seen += page["activities"]?.elements.compactMap { $0["id"]?.text } ?? []
            next = page["next"]?.text
            if let position = parked.popLast() {
                try await shop.skip(position)
                // One that was listed already, and one that is still to come.
                try await shop.park("order-10\(parked.count % 2 == 0 ? 1 : 8)")
            }
        }
        #expect(before.count == 12)
        #expect(before.isSubset(of: seen))
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `What is parked or released` {
    @Test func `has another tag, in a list as well`() async throws {
        let shop = try await PostgresAPI.make()
        try await shop.place("order-1")
        try await shop.fold()
        let targets = ["/v1/activities/order-1", "/v1/activities", "/v1/activities?\(ever)"]
        for (target, position) in zip(targets, 2...) {
            let healthy = try await shop.tag(target)
            #expect(try await shop.tag(target) == healthy)
            try await shop.report("DriverAssigned", "order-1", #"{"driverName":7}"#)
            try await shop.fold()
            let parked = try await shop.tag(target)
            #expect(parked != healthy, "\(target)")
            try await shop.skip(Int64(position))
            #expect(try await shop.tag(target) != parked, "\(target)")
        }
    }

    @Test func `passes a stream that asks since when, and leaves one by its filter`()
        async throws
    {
        let shop = try await PostgresAPI.make()
        for order in ["order-1", "order-2"] { try await shop.place(order) }
        try await shop.fold()
        let since = try await shop.sinceNow()
        var all = try await shop.follow(since)
        var healthy = try await shop.follow("faulted=false")
        #expect(try await all.next()?.event == "ready")
        for _ in 1...2 { #expect(try await healthy.next()?.event == "activity") }
        #expect(try await healthy.next()?.event == "ready")

        try await shop.park("order-1")
        let told = try await all.next()
        #expect(told?.event == "activity")
        #expect(told?.data?["activity"]?["fault"]?.text != nil)
        #expect(try await healthy.next()?.event == "removed")

        try await shop.skip(3)
        for message in [try await all.next(), try await healthy.next()] {
            #expect(message?.event == "activity")
            #expect(message?.data?["activity"]?["version"] == .integer(3))
        }
    }

    @Test func `is sent between the first page and the stream`() async throws {
        let shop = try await PostgresAPI.make()
        for order in ["order-1", "order-2"] { try await shop.place(order) }
        try await shop.park("order-1")
        let page = try await shop.call("GET", "/v1/activities?\(ever)").json()
        guard case .number(let position) = page["position"] else {
            Issue.record("the page has no position")
            return
        }
        try await shop.skip(3)
        try await shop.park("order-2")
        var reader = try await shop.follow("after=\(position)")
        var told: [String?] = []
        while let message = try await reader.next(), message.event == "activity" {
            told.append(message.data?["activity"]?["id"]?.text)
        }
        #expect(told == ["order-1", "order-2"])
    }

    @Test func `is listed by a stream in its place, and nothing is sent twice or left out`()
        async throws
    {
        let shop = try await PostgresAPI.make()
        // More than one page of the stream.
        try await shop.crowd(330)
        try await shop.report("OrderAccepted", "order-101")
        try await shop.fold()
        var reader = try await shop.follow("kind=PizzaDelivery")
        var told: [String] = []
        var ids: [Int64] = []
        while let message = try await reader.next(), message.event == "activity" {
            told.append(message.data?["activity"]?["id"]?.text ?? "")
            ids.append(message.id ?? 0)
        }
        #expect(told.count == 330)
        #expect(Set(told).count == 330)
        #expect(Array(told.suffix(2)) == ["order-430", "order-101"])
        #expect(ids == ids.sorted())
        #expect(ids.last == 441)
    }
}
