import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

@Test func `phones are listed without their tokens, with those that are gone apart`() async throws {
    let api = try await Harness.withOrders()
    let answer = try await api.get("/v1/activities/o-1/phones?limit=2")
    let page = try answer.json()
    #expect(page["phones"]?.elements.map { $0["id"] } == [.integer(2), .integer(3)])
    #expect(page["gone"]?.elements.first?["closedBy"]?.text == "dismissed")
    #expect(!answer.text.lowercased().contains("token"))
    let next = try #require(page["next"]?.text)
    #expect(try await api.get(next).json()["phones"]?.elements.count == 1)
    try await api.get("/v1/activities/o-9/phones").expectProblem(.unknownActivity)
}

@Test func `phones that need help stand on the first page, wherever they are in the list`()
    async throws
{
    let api = try await Harness.withOrders()
    await api.fake.refuseKey(true)
    let page = try await api.get("/v1/activities/o-1/phones?limit=1").json()
    #expect(page["phones"]?.elements.map { $0["id"] } == [.integer(2)])
    #expect(
        page["behind"]?.elements.map { $0["id"] } == [.integer(2), .integer(3), .integer(4)])
    let next = try #require(page["next"]?.text)
    #expect(try await api.get(next).json()["behind"]?.elements.isEmpty == true)
    await api.fake.refuseKey(false)
    let calm = try await api.get("/v1/activities/o-1/phones").json()
    #expect(calm["behind"]?.elements.isEmpty == true)
}

@Test func `the payload of a decision is what APNs gets, with its bytes`() async throws {
    let api = try await Harness.withOrders()
    let view = try await api.get("/v1/activities/o-1/payload").json()
    #expect(view["version"] == .integer(2))
    #expect(view["payload"]?["aps"]?["alert"]?["title"]?.text?.isEmpty == false)
    #expect(view["bytesMax"] == .integer(4_096))
    let first = try await api.get("/v1/activities/o-1/payload?version=1").json()
    #expect(first["payload"]?["aps"]?["event"]?.text == "update")
    try await api.get("/v1/activities/o-1/payload?version=3").expectProblem(.unknownVersion)
    try await api.get("/v1/activities/o-9/payload").expectProblem(.unknownActivity)
}
