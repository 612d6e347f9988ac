import Domain
import EventStore
import JSON
import Pipeline
import Projections
import Testing

@testable import API

extension PostgresAPI {
    fileprivate func placeAndFold(_ order: String) async throws {
        try await place(order)
        try await fold()
    }
}

@Test(.timeLimit(.minutes(1)))
func `followers hear that all activities were folded again`() async throws {
    let api = try await PostgresAPI.make()
    try await api.placeAndFold("o-1")
    var reader = try StreamReader(try await api.call("GET", "/v1/stream").response)
    #expect(try await reader.next()?.event == "activity")
    let ready = try await reader.next()
    #expect(ready?.data?["generation"] == .integer(1))
    _ = try await api.store.rebuilds.begin(
        api.tenant, "a test", ActivityCatalog.standard.foldVersions)
    let session = try #require(
        try await api.store.rebuilds.take(api.tenant, ActivityCatalog.standard.foldVersions))
    #expect(try await Rebuilder(store: api.store) { _ in }.work(session) { _ in } == .finished)
    let message = try await reader.next()
    #expect(message?.event == "generation")
    #expect(message?.data?["generation"] == .integer(2))
    #expect(message?.id == 1)
    // Later changes are sent as before, and the news of the generation only once.
    try await api.placeAndFold("o-2")
    let change = try await reader.next()
    #expect(change?.data?["activity"]?["id"]?.text == "o-2")
}

@Test(.timeLimit(.minutes(1)))
func `a filtered stream lists activities with the decisions about their versions`() async throws {
    let api = try await PostgresAPI.make()
    for order in ["o-1", "o-2", "o-1"] { try await api.placeAndFold(order) }
    var reader = try StreamReader(
        try await api.call("GET", "/v1/stream?kind=PizzaDelivery").response)
    for (order, version) in [("o-2", 1), ("o-1", 2)] {
        let message = try await reader.next()
        #expect(message?.data?["activity"]?["id"]?.text == order)
        #expect(message?.data?["decision"]?["version"] == .integer(version))
    }
}
