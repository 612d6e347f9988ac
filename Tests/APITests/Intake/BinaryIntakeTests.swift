import Domain
import EventStore
import HTTP
import JSON
import Testing

@testable import API

private let attributes = [
    ("ce-specversion", "1.0"), ("ce-id", "1"), ("ce-source", "/kitchen/5"),
    ("ce-type", "PizzaDelivery.DriverAssigned"), ("ce-subject", "o-1"),
    ("ce-time", "2027-01-15T08:00:00Z"),
]

private func post(
    _ api: Harness, _ headers: [(String, String)], body: String = #"{"driverName":"Ada"}"#
) async throws -> Answer {
    try await api.call(
        "POST", "/v1/events", body: body, type: "application/json", headers: headers)
}

@Test func `an event in binary mode is the event it is in structured mode`() async throws {
    let api = await Harness()
    let answer = try await post(api, attributes + [("ce-expectedversion", "0")])
    #expect(answer.status == 201)
    let again = try await api.post(
        SampleEvents.assigned("o-1").replacing(#""id":"assigned""#, with: #""id":"1""#)
            .replacing(#""data""#, with: #""expectedversion":0,"data""#))
    #expect(try again.json()["events"]?.elements.first?["outcome"]?.text == "already-known")
}

@Test func `header values are percent-decoded once and may be quoted`() async throws {
    let api = await Harness()
    for (index, (sent, subject)) in [
        ("%E2%82%AC%20Ã", nil), ("Euro%20%E2%82%AC%20%F0%9F%98%80", "Euro € 😀"),
        ("100%2525", "100%25"),
        (#""a \"b\" %41""#, #"a "b" A"#), ("plain space", "plain space"), ("%E2%82", nil),
        ("%zz", nil), ("50%", nil),
    ].enumerated() {
        let headers = attributes.filter { !["ce-subject", "ce-id"].contains($0.0) }
        let answer = try await post(
            api, headers + [("ce-subject", sent), ("ce-id", "\(index)")])
        if let subject {
            #expect(answer.status == 201, "\(sent): \(answer.text)")
            let last = await api.fake.log(of: Harness.mine).last?.event
            #expect(last?.activityID.rawValue == subject)
        } else {
            try answer.expectProblem(.invalidAttribute, pointers: ["/subject"])
        }
    }
}

@Test func `attributes that do not fit are named as in structured mode`() async throws {
    let api = await Harness()
    let answer = try await post(
        api, [("ce-specversion", "1.0"), ("ce-schemaversion", "two"), ("ce-time", "noon")], body: ""
    )
    try answer.expectProblem(
        .invalidAttribute,
        pointers: ["/id", "/source", "/type", "/subject", "/time", "/schemaversion", "/data"])
    try await post(api, attributes + [("ce-id", "2")])
        .expectProblem(.invalidAttribute, pointers: ["/id"])
    try await post(api, attributes + [("ce-datacontenttype", "application/json")])
        .expectProblem(.invalidAttribute, pointers: ["/datacontenttype"])
    try await post(api, attributes, body: "{").expectProblem(.malformedJSON)
    #expect(await api.fake.log(of: Harness.mine).isEmpty)
}

@Test func `the media type of CloudEvents goes before header fields`() async throws {
    let api = await Harness()
    let answer = try await api.call(
        "POST", "/v1/events", body: SampleEvents.placed("o-1"),
        type: "application/cloudevents+json", headers: attributes)
    #expect(try answer.json()["events"]?.elements.first?["id"]?.text == "placed")
}
