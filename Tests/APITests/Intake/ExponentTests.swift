import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

private func event(_ x: String, id: String = "a1") -> String {
    SampleEvents.event(
        id: id, type: "PizzaDelivery.OrderReady", subject: "o-1", data: "{\"x\":\(x)}")
}

private func numbers(_ count: Int) -> String {
    "[\(repeatElement("1e300", count: count).joined(separator: ","))]"
}

/// Postgres writes the exponents of numbers out: what is small when it is sent is long in the log.
struct ExponentTests {
    @Test func `data that are too long with their exponents written out are refused`() async throws
    {
        let api = await Harness()
        let problem = try await api.post(event(numbers(10_800)))
            .expectProblem(.invalidAttribute, pointers: ["/data"])
        #expect(problem["detail"]?.text?.contains("send such numbers as strings") == true)
        #expect(try await api.post(event(numbers(210))).status == 201)
    }

    @Test(arguments: ["0e-16384", "0e-401", "0e401", "-0.0e-20000", "0e9999999999"])
    func `a zero with a large exponent is refused in every format`(zero: String) async throws {
        let api = await Harness()
        let body = event(zero)
        try await api.post(body).expectProblem(.malformedJSON)
        try await api.post("[\(event("1", id: "a2")),\(body)]").expectProblem(.malformedJSON)
        try await api.call(
            "POST", "/v1/events?partial=true", body: "[\(body)]", type: "application/json"
        ).expectProblem(.malformedJSON)
        try await api.call(
            "POST", "/v1/events", body: "{\"x\":\(zero)}", type: "application/json",
            headers: [
                ("ce-specversion", "1.0"), ("ce-id", "1"), ("ce-source", "/s"),
                ("ce-type", "PizzaDelivery.OrderReady"), ("ce-subject", "o-1"),
            ]
        ).expectProblem(.malformedJSON)
        #expect(await api.fake.log(of: Harness.mine).isEmpty)
        let lines = try await api.call(
            "POST", "/v1/events", body: "\(event("1", id: "a3"))\n\(body)\n",
            type: "application/x-ndjson")
        try lines.expectProblem(.malformedJSON)
        #expect(await api.fake.log(of: Harness.mine).map(\.event.id) == ["a3"])
    }
}
