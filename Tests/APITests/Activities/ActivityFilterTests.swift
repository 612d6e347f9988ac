import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

@Test(
    arguments: [
        "kind=Pizza", "kind=", "kind=Match,,", "phase=over", "faulted=yes", "late=1",
        "updatedSince=today", "updatedSince=", "q=", "q=%21%3F", "q=a%00b",
        "updatedSince=2027-01-15T08:00:00Z&after=o-1",
    ])
func `a filter that cannot be is refused by list and stream`(query: String) async throws {
    let api = await Harness()
    try await api.get("/v1/activities?\(query)").expectProblem(.invalidParameter)
    try await api.get("/v1/stream?\(query)").expectProblem(.invalidParameter)
}

@Test func `the next page keeps the filter`() async throws {
    let api = await Harness()
    for number in 1...3 {
        _ = try await api.post(SampleEvents.placed("o-\(number)", id: "\(number)"))
    }
    try await api.fake.fold(Harness.mine)
    let query = "kind=PizzaDelivery&phase=live,scheduled&late=false&q=42"
    let page = try await api.get("/v1/activities?limit=2&\(query)").json()
    #expect(page["activities"]?.elements.count == 2)
    #expect(page["position"] == .integer(3))
    let next = try #require(page["next"]?.text)
    #expect(next.contains("phase=live%2Cscheduled") && next.contains("q=42"))
    let rest = try await api.get(next).json()
    #expect(rest["activities"]?.elements.map { $0["id"]?.text } == ["o-3"])
    #expect(rest["next"] == nil)
}

@Test func `a list in order of changes goes on by position`() async throws {
    let api = await Harness()
    for order in ["o-3", "o-1", "o-2"] {
        _ = try await api.post(SampleEvents.placed(order, id: order))
    }
    try await api.fake.fold(Harness.mine)
    let since = "updatedSince=2027-01-15T08:00:00Z"
    let page = try await api.get("/v1/activities?limit=2&\(since)").json()
    #expect(page["activities"]?.elements.map { $0["id"]?.text } == ["o-3", "o-1"])
    let next = try #require(page["next"]?.text)
    #expect(next.contains("after=2&"))
    let rest = try await api.get(next).json()
    #expect(rest["activities"]?.elements.map { $0["id"]?.text } == ["o-2"])
}
