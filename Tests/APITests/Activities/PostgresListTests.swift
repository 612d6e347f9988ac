import Domain
import EventStore
import Foundation
import HTTP
import JSON
import Pipeline
import Postgres
import PostgresStore
import TestSupport
import Testing

@testable import API

/// Orders, matches and coffees in every state that a filter asks about.
private struct Board {
    let api: PostgresAPI

    static func make() async throws -> Board {
        let board = Board(api: try await PostgresAPI.make())
        // No clock runs that could end a grace.
        _ = try await board.api.store.policies.put(
            board.api.tenant, "Match", nil, Data(#"{"thresholds":{"endGraceSeconds":0}}"#.utf8))
        for number in 0..<24 { try await board.order(number) }
        for number in 0..<6 { try await board.match(number) }
        for number in 0..<4 {
            try await board.report(
                "CoffeeDelivery.OrderReceived", "coffee-\(number)", #"{"coffeeName":"Café Latte"}"#)
        }
        // Belongs to another kind than the match does, and blocks an activity of no kind.
        _ = try await board.api.database.pool.query(
            """
            INSERT INTO snapshot (tenant, activity_id, kind, version, position, phase, state,
                attributes, content_state, dispatch, fault, updated_at)
            SELECT $1, 'broken', 'PizzaDelivery', 1, 1, 'live', '{}', '{}', '{}', '{}', 'no', now()
            """, [.int4(board.api.tenant.rawValue)])
        try await board.fold()
        return board
    }

    func fold() async throws {
        while try await api.store.projections.foldNext(nil, 100, BatchFolder.fold) != nil {}
    }

    func report(_ type: String, _ subject: String, _ data: String, at seconds: Int64 = 0)
        async throws
    {
        let event = NewEvent(
            id: "\(type)-\(subject)", source: "/test", type: type,
            activityID: ActivityID(rawValue: subject),
            occurredAt: Moment(unixSeconds: 1_800_000_000 + seconds), data: Data(data.utf8))
        // Recorded when it happened: by the real clock it may be still to come.
        let outcomes = try await EventImport.postgres(api.database.pool).record(
            api.tenant, [ImportedEvent(recordedAt: event.occurredAt, event: event)])
        let isAccepted = outcomes.allSatisfy { $0.isAccepted }
        #expect(isAccepted, "\(outcomes)")
    }

    /// Promised for ten minutes before or after now; then nothing, an estimate, or an end.
    private func order(_ number: Int) async throws {
        let id = "order-\(number < 10 ? "0" : "")\(number)"
        let promised = Moment(unixSeconds: 1_800_000_000 + (number % 2 == 0 ? 600 : -600)).rfc3339
        try await report(
            "PizzaDelivery.OrderPlaced", id,
            """
            {"orderNumber":"N-\(100 + number)","numberOfPizzas":1,"totalAmount":"€9",\
            "promisedAt":"\(promised)"}
            """, at: -3600)
        let later = Moment(unixSeconds: 1_800_001_200).rfc3339
        switch number % 6 {
        case 1:
            try await report(
                "PizzaDelivery.EstimateRevised", id, #"{"estimatedAt":"\#(later)"}"#, at: -1200)
        case 2:
            try await report(
                "PizzaDelivery.EstimateRevised", id, #"{"estimatedAt":"\#(later)"}"#, at: -1200)
        case 3: try await report("PizzaDelivery.OrderDelivered", id, "{}", at: -300)
        case 4: try await report("PizzaDelivery.OrderDelivered", id, "{}", at: 300)
        case 5: try await report("PizzaDelivery.OrderCancelled", id, "{}", at: -300)
        default: break
        }
    }

    private func match(_ number: Int) async throws {
        let id = "match-\(number)"
        let kickoff = Moment(unixSeconds: 1_800_000_000 - Int64(number) * 60).rfc3339
        try await report(
            "Match.MatchScheduled", id,
            """
            {"competition":"\(number % 2 == 0 ? "Cup" : "League")","homeTeam":"Köln \(number)",\
            "awayTeam":"Real Madrid","homeCode":"KOE","kickoff":"\(kickoff)"}
            """)
        if number > 0 { try await report("Match.PeriodStarted", id, #"{"period":"firstHalf"}"#) }
        if number == 5 { try await report("Match.FullTimeReached", id, "{}") }
    }
}

@Test(.timeLimit(.minutes(2)))
func `every filter finds by its index what it finds by looking at everything`() async throws {
    let board = try await Board.make()
    let all = try await board.api.store.snapshots(of: board.api.tenant)
    #expect(all.count == 35)
    let now = Moment(unixSeconds: 1_800_000_000)
    let values = [
        ["", "kind=PizzaDelivery", "kind=Match,CoffeeDelivery"],
        ["", "phase=live", "phase=ended", "phase=scheduled,live", "phase=live,ended"],
        ["", "late=true", "late=false"], ["", "faulted=true", "faulted=false"],
        ["", "q=k%C3%B6ln", "q=N-103", "q=MADRID+koe", "q=nobody"],
        ["", "updatedSince=2020-01-01T00:00:00Z"],
    ]
    let queries = values.reduce([""]) { queries, next in
        queries.flatMap { query in next.map { $0.isEmpty ? query : "\(query)&\($0)" } }
    }
    for query in queries {
        let call = Call(
            request: Request(method: "GET", target: ""), path: [:], query: parsed(query))
        let filter = try call.activityFilter()
        let fitting = all.filter { filter.fit($0, at: now) == .fits }
        let expected = fitting.map(\.activityID.rawValue).sorted()
        let found = try await board.api.ids(query, limit: 9)
        #expect(found.sorted() == expected, "\(query)")
        if filter.updatedSince == nil { #expect(found == expected, "\(query)") }
    }
    #expect(queries.count == 1350)
    let late = try await board.api.ids("late=true&phase=live")
    #expect(
        late == [
            "order-01", "order-02", "order-07", "order-08", "order-13", "order-14",
            "order-19", "order-20",
        ])
}

private func parsed(_ query: String) -> [String: String] {
    var parameters: [String: String] = [:]
    for pair in query.split(separator: "&") {
        let parts = pair.split(separator: "=")
        parameters[String(parts[0])] = PercentEncoding.decoded(parts[1], plusIsSpace: true)
    }
    return parameters
}

@Test(.timeLimit(.minutes(2)))
func `a client that pages through a list misses nothing and sees nothing twice while it changes`()
    async throws
{
    let board = try await Board.make()
    let before = try await board.api.ids("kind=PizzaDelivery", limit: 500)
    for query in ["kind=PizzaDelivery", "kind=PizzaDelivery&updatedSince=2020-01-01T00:00:00Z"] {
        var seen: [String] = []
        var next: String? = "/v1/activities?limit=5&\(query)"
        var round = 0
        while let target = next {
            let page = try await board.api.call("GET", target).json()
            seen += page["activities"]?.elements.compactMap { $0["id"]?.text } ?? []
            next = page["next"]?.text
            // One that was listed already, one that is still to come, and a new one.
            for id in ["order-00", "order-22", "order-0\(round)-new"] where round < 4 {
                _ = try await board.api.store.log.append(
                    board.api.tenant,
                    [
                        NewEvent(
                            id: "\(id)-\(round)-\(query.count)", source: "/test",
                            type: "PizzaDelivery.OrderReady",
                            activityID: ActivityID(rawValue: id),
                            occurredAt: Moment(unixSeconds: 1_800_000_000), data: Data("{}".utf8))
                    ])
            }
            try await board.fold()
            round += 1
        }
        #expect(Set(seen).isSuperset(of: before), "\(query)")
        let counts = Dictionary(grouping: seen, by: { $0 }).mapValues(\.count)
        if !query.contains("updatedSince") {
            #expect(counts.values.allSatisfy { $0 == 1 }, "\(query)")
        }
        #expect(round > 4)
    }
}

@Test(.timeLimit(.minutes(2)))
func `what was recorded since a moment is found by that moment`() async throws {
    let board = try await Board.make()
    let events = try await board.api.store.log.read(board.api.tenant, 0, 1000)
    let middle = events[events.count / 2]
    let expected = Set(
        events.filter { $0.recordedAt >= middle.recordedAt }.map(\.event.activityID.rawValue))
    let found = try await board.api.ids(
        "updatedSince=\(PercentEncoding.encoded(middle.recordedAt.rfc3339))")
    #expect(Set(found) == expected)
    #expect(found.count == expected.count)
    #expect(try await board.api.ids("updatedSince=2100-01-01T00:00:00Z") == [])
}

@Test(.timeLimit(.minutes(2)))
func `a page looks through a bounded number and says where to go on`() async throws {
    let board = try await Board.make()
    _ = try await board.api.database.pool.query(
        """
        INSERT INTO snapshot (tenant, activity_id, kind, version, position, phase, state,
            attributes, content_state, dispatch, updated_at)
        SELECT $1, 'a-' || lpad(n::text, 6, '0'), 'PizzaDelivery', 1, 1000 + n, 'ended', '{}', '{}',
            '{}', '{}', now() FROM generate_series(1, 25000) n
        """, [.int4(board.api.tenant.rawValue)])
    let first = try await board.api.call("GET", "/v1/activities?kind=Match").json()
    #expect(first["activities"] == .array([]))
    #expect(first["next"]?.text?.contains("after=a-010000") == true)
    #expect(try await board.api.ids("kind=Match", limit: 10).count == 6)
    let since = "updatedSince=2020-01-01T00:00:00Z"
    #expect(try await board.api.ids("kind=Match&\(since)", limit: 10).count == 6)
}

@Test(.timeLimit(.minutes(2)))
func `the scoreboard has the live matches of a competition by kick-off`() async throws {
    let board = try await Board.make()
    func ids(_ query: String) async throws -> [String?] {
        let answer = try await board.api.call("GET", "/v1/scoreboard\(query)").json()
        return answer["activities"]?.elements.map { $0["id"]?.text } ?? []
    }
    #expect(try await ids("?competition=Cup") == ["match-4", "match-2"])
    #expect(try await ids("?competition=League") == ["match-3", "match-1"])
    #expect(try await ids("?limit=3") == ["match-4", "match-3", "match-2"])
    #expect(try await ids("?competition=cup") == [])
    try await board.api.call("GET", "/v1/scoreboard?competition=").expectProblem(.invalidParameter)
}

@Test(.timeLimit(.minutes(2)))
func `the scoreboard goes on where a page ends, at last with what has no kick-off`() async throws {
    let board = try await Board.make()
    _ = try await board.api.database.pool.query(
        "UPDATE snapshot SET starts_at = NULL WHERE activity_id IN ('match-1', 'match-3')")
    func pages(_ query: String) async throws -> [[String]] {
        var found: [[String]] = []
        var next: String? = "/v1/scoreboard?\(query)"
        while let target = next {
            let answer = try await board.api.call("GET", target)
            let page = try answer.json()
            found.append(page["activities"]?.elements.compactMap { $0["id"]?.text } ?? [])
            next = page["next"]?.text
            #expect(answer.header("link") == next.map { "<\($0)>; rel=\"next\"" })
        }
        return found
    }
    #expect(
        try await pages("limit=1") == [["match-4"], ["match-2"], ["match-1"], ["match-3"]])
    #expect(try await pages("limit=3") == [["match-4", "match-2", "match-1"], ["match-3"]])
    #expect(try await pages("limit=1&competition=Cup") == [["match-4"], ["match-2"]])
    #expect(try await pages("limit=1&competition=League") == [["match-1"], ["match-3"]])
    #expect(try await pages("limit=4") == [["match-4", "match-2", "match-1", "match-3"]])
}

@Test(.timeLimit(.minutes(2)))
func `an overview counts what is going on and measures what is done`() async throws {
    let board = try await Board.make()
    let answer = try await board.api.call("GET", "/v1/overview?since=2020-01-01T00:00:00Z").json()
    let kinds = answer["kinds"]?.elements ?? []
    #expect(kinds.map { $0["kind"]?.text } == ["CoffeeDelivery", "Match", "PizzaDelivery"])
    let orders = try #require(kinds.last)
    #expect(orders["live"] == .integer(13))
    #expect(orders["ended"] == .integer(12))
    #expect(orders["late"] == .integer(8))
    #expect(orders["onTime"]?["of"] == .integer(8))
    #expect(orders["onTime"]?["count"] == .integer(4))
    #expect(orders["onTime"]?["share"] == .number("0.5"))
    // Four five minutes late, four five minutes early.
    #expect(orders["delaySeconds"]?["p50"] == .number("0"))
    #expect(orders["delaySeconds"]?["p90"] == .number("300"))
    #expect(kinds[1]["scheduled"] == .integer(1))
    #expect(kinds[1]["live"] == .integer(4))
    #expect(kinds[1]["delaySeconds"]?["p50"] == nil)
    #expect(answer["activities"]?["faulted"] == .integer(1))
    #expect(answer["activities"]?["late"] == .integer(8))
    #expect(answer["activities"]?["isPartial"] == .bool(false))
    #expect(answer["activities"]?["tooLarge"] == .integer(0))
    let head = try await board.api.store.log.head(board.api.tenant)
    #expect(answer["events"]?["count"] == .integer(head))
    #expect(answer["head"] == .integer(head))
    let alerts = try await board.api.database.pool.query(
        "SELECT count(*) FROM decision WHERE alert IS NOT NULL")
    let alertCount: Int64 = try #require(alerts.first).get(0)
    #expect(answer["alerts"]?["count"] == .integer(alertCount))
    let none = try await board.api.store.reads.overview(
        TenantID(rawValue: 999), Moment(unixSeconds: 0), Moment(unixSeconds: 1))
    #expect(none == Overview(freshness: Freshness(position: 0, head: 0)))
    try await board.api.call("GET", "/v1/overview?since=2100-01-01T00:00:00Z")
        .expectProblem(.invalidParameter)
}

@Test(.timeLimit(.minutes(2)))
func `a coffee that comes later than its order said is found as late, and counted`() async throws {
    let board = try await Board.make()
    func arrival(_ seconds: Int64) -> String {
        #""estimatedAt":"\#(Moment(unixSeconds: 1_800_000_000 + seconds).rfc3339)"}"#
    }
    let order = #"{"coffeeName":"Mocha",\#(arrival(600))"#
    try await board.report("CoffeeDelivery.OrderReceived", "mocha", order, at: -60)
    try await board.report("CoffeeDelivery.EstimateRevised", "mocha", "{\(arrival(1500))", at: -30)
    try await board.fold()
    #expect(try await board.api.ids("kind=CoffeeDelivery&late=true") == ["mocha"])
    try await board.report("CoffeeDelivery.CoffeeDelivered", "mocha", "{}", at: 900)
    try await board.fold()
    let answer = try await board.api.call("GET", "/v1/overview?since=2020-01-01T00:00:00Z").json()
    let coffees = try #require(answer["kinds"]?.elements.first)
    #expect(coffees["kind"]?.text == "CoffeeDelivery")
    #expect(coffees["onTime"]?["of"] == .integer(1))
    #expect(coffees["onTime"]?["count"] == .integer(0))
    #expect(coffees["delaySeconds"]?["p50"] == .number("300"))
}

@Test(.timeLimit(.minutes(2)))
func `an overview counts those whose newest change no push has room for`() async throws {
    let board = try await Board.make()
    func tooLarge() async throws -> JSON? {
        try await board.api.call("GET", "/v1/overview").json()["activities"]?["tooLarge"]
    }
    _ = try await board.api.database.pool.query(
        """
        UPDATE decision SET verdict = 'hold', rule = 'too-large'
        WHERE activity_id IN ('order-00', 'order-01') AND version = 1
        """)
    // The second has an estimate since.
    #expect(try await tooLarge() == .integer(1))
    try await board.report("PizzaDelivery.DriverAssigned", "order-00", #"{"driverName":"Ada"}"#)
    try await board.fold()
    #expect(try await tooLarge() == .integer(0))
}

@Test(.timeLimit(.minutes(2)))
func `a document kept ready is never older than the store`() async throws {
    let board = try await Board.make()
    let path = "/v1/activities/order-00"
    let first = try await board.api.call("GET", path)
    #expect(try await board.api.call("GET", path).bytes == first.bytes)
    try await board.report("PizzaDelivery.DriverAssigned", "order-00", #"{"driverName":"Ada"}"#)
    let stale = try await board.api.call("GET", path).json()
    #expect(stale["freshness"]?["behind"] == .integer(1))
    try await board.fold()
    let fresh = try await board.api.call("GET", path).json()
    #expect(fresh["contentState"]?["driverName"]?.text == "Ada")
    #expect(fresh["freshness"]?["behind"] == .integer(0))
    // A write that changes neither version nor position is one nevertheless.
    _ = try await board.api.database.pool.query(
        "UPDATE snapshot SET fault = 'torn' WHERE activity_id = 'order-00'")
    #expect(try await board.api.call("GET", path).json()["fault"]?.text == "torn")
}

@Test(.timeLimit(.minutes(2)))
func `what is built beside the live generation is not seen`() async throws {
    let board = try await Board.make()
    let paths = [
        "/v1/activities?limit=100", "/v1/activities?phase=live", "/v1/activities?late=true",
        "/v1/activities?q=madrid", "/v1/activities?faulted=true",
        "/v1/activities?updatedSince=2020-01-01T00:00:00Z", "/v1/scoreboard",
        "/v1/activities/order-01", "/v1/overview?since=2020-01-01T00:00:00Z",
    ]
    var before: [[UInt8]] = []
    for path in paths { before.append(try await board.api.call("GET", path).bytes) }
    _ = try await board.api.database.pool.query(
        """
        INSERT INTO snapshot (tenant, generation, activity_id, kind, version, position, phase,
            state, attributes, content_state, dispatch, fault, updated_at, promised_at,
            expected_at, actual_at, starts_at, competition, words)
        SELECT tenant, 2, added, kind, version, position + 1000, phase, state, attributes,
            content_state, dispatch, fault, updated_at, promised_at, expected_at, actual_at,
            starts_at, competition, words
        FROM snapshot, LATERAL (VALUES (activity_id), ('new-' || activity_id)) AS v (added)
        """)
    for (path, bytes) in zip(paths, before) {
        let now = try await board.api.call("GET", path)
        #expect(now.bytes == bytes, "\(path): \(now.text)")
    }
}
