import Domain
import EventStore
import Foundation
import HTTP
import JSON
import Postgres
import TestSupport
import Testing

@testable import API

private func event(_ id: String, _ activity: String = "o-1") -> NewEvent {
    NewEvent(
        id: id, source: "/race", type: "PizzaDelivery.OrderReady",
        activityID: ActivityID(rawValue: activity), occurredAt: Moment(unixSeconds: 1_700_000_000),
        data: Data("{}".utf8))
}

/// Everything up to the event `end`, as the stream of a node tells it.
private func follow(_ api: PostgresAPI, to end: String) async throws -> [Int64] {
    var reader = try StreamReader(try await api.call("GET", "/v1/events/stream").response)
    var positions: [Int64] = []
    while let message = try await reader.next() {
        positions.append(try #require(message.id))
        if message.data?["id"]?.text == end { break }
    }
    return positions
}

/// The same by asking for page after page.
private func poll(_ api: PostgresAPI, to end: String) async throws -> [Int64] {
    var path = "/v1/events?limit=7&wait=5"
    var positions: [Int64] = []
    while true {
        let page = try await api.call("GET", path).json()
        for event in page["events"]?.elements ?? [] {
            guard case .number(let text) = event["position"] else { continue }
            positions.append(Int64(text) ?? 0)
            if event["id"]?.text == end { return positions }
        }
        path = try #require(page["next"]?.text)
    }
}

@Test(.timeLimit(.minutes(2)))
func `readers of two nodes see every position in order while writers race`() async throws {
    let api = try await PostgresAPI.make()
    let nodes = [api, api.anotherNode()]
    let tenant = api.tenant
    async let followed = [follow(nodes[0], to: "end"), follow(nodes[1], to: "end")]
    async let polled = [poll(nodes[0], to: "end"), poll(nodes[1], to: "end")]
    try await withThrowingTaskGroup(of: Void.self) { group in
        for writer in 0..<16 {
            group.addTask {
                for round in 0..<25 {
                    // Half of the events are reported by two writers, on different nodes.
                    let events = (0...(round % 4)).map { number in
                        event("\(writer / 2)-\(round)-\(number)", "o-\(round % 3)")
                    }
                    let store = nodes[writer % 2].store
                    _ = try await store.log.append(
                        tenant, events, isAtomic: round.isMultiple(of: 2))
                }
            }
        }
        try await group.waitForAll()
    }
    _ = try await api.store.log.append(tenant, [event("end")])
    let head = try await api.store.log.head(tenant)
    #expect(head == 8 * (25 * 2 + 12) + 1 || head > 200)
    let expected = Array(1...head)
    for positions in try await followed + polled { #expect(positions == expected) }
}

@Test(.timeLimit(.minutes(2)))
func `a reader waits for a slow transaction instead of stepping over it`() async throws {
    let api = try await PostgresAPI.make()
    let slow = try await api.database.pool.openDedicated()
    try await slow.script("BEGIN")
    _ = try await slow.query(
        """
        SELECT * FROM append_events(
            '{0}', ARRAY[$1::int4], '{a}', '{s}', '{slow}', '{PizzaDelivery.OrderReady}', '{1}',
            ARRAY[timestamptz 'epoch'], ARRAY['{}']::jsonb[], '{NULL}')
        """, [.int4(api.tenant.rawValue)])
    async let fast = api.anotherNode().store.log.append(api.tenant, [event("fast")])
    try await api.database.waitForLock()
    let page = try await api.call("GET", "/v1/events").json()
    #expect(page["events"] == .array([]))
    #expect(page["position"] == .integer(0))
    async let followed = follow(api, to: "fast")
    try await slow.script("COMMIT")
    #expect(try await fast == [.recorded(position: 2, version: 1)])
    #expect(try await followed == [1, 2])
}

@Test(.timeLimit(.minutes(2)))
func `a rare type is found in a long log by pages of bounded work`() async throws {
    let api = try await PostgresAPI.make()
    let count = Int(Limits.filteredPositionsMax) + 100
    for start in stride(from: 0, to: count, by: 2_000) {
        _ = try await api.store.log.append(
            api.tenant, (start..<min(start + 2_000, count)).map { event("\($0)", "o-\($0)") })
    }
    var rare = event("rare", "o-7")
    rare.type = "PizzaDelivery.OrderDelivered"
    _ = try await api.store.log.append(api.tenant, [rare])
    let path = "/v1/events?type=\(rare.type)"
    let first = try await api.call("GET", path).json()
    #expect(first["events"] == .array([]))
    #expect(first["position"] == .integer(Limits.filteredPositionsMax))
    let second = try await api.call("GET", try #require(first["next"]?.text)).json()
    #expect(second["events"]?.elements.map { $0["id"]?.text } == ["rare"])
    // One that may wait looks on by itself, and an activity is found at once.
    let patient = try await api.call("GET", path + "&wait=10").json()
    #expect(patient["events"]?.elements.count == 1)
    let stream = try await api.call("GET", "/v1/events?activity=o-7").json()
    #expect(stream["events"]?.elements.map { $0["id"]?.text } == ["7", "rare"])
}

@Test(.timeLimit(.minutes(2)))
func `a wait that is ended is answered with what there is`() async throws {
    let looks = Looks()
    let api = try await PostgresAPI.make(watched: looks.counted)
    _ = try await api.store.log.append(api.tenant, [event("first")])
    let log = Task { try await api.call("GET", "/v1/events?after=1&wait=25") }
    let list = Task { try await api.call("GET", "/v1/activities?wait=1") }
    // Both have looked once by then. A server that stops does the rest.
    try await waitUntil { looks.log.value > 0 && looks.reads.value > 0 }
    log.cancel()
    list.cancel()
    let page = try await log.value
    #expect(page.status == 200, "\(page.text)")
    #expect(try page.json()["events"] == .array([]))
    #expect(try page.json()["next"]?.text == "/v1/events?after=1&wait=25")
    try await list.value.expectProblem(.projectionBehind)
}
