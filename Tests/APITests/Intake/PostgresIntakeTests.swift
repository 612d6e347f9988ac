import Domain
import EventStore
import HTTP
import JSON
import TestSupport
import Testing

@testable import API

@Test(.timeLimit(.minutes(2)))
func `events are recorded, known again and refused by the real store`() async throws {
    let api = try await PostgresAPI.make()
    let first = try await api.post(
        "[\(SampleEvents.placed("o-1")),\(SampleEvents.assigned("o-1"))]")
    #expect(first.status == 201)
    let again = try await api.post(SampleEvents.assigned("o-1"))
    #expect(again.status == 200)
    #expect(try again.json()["events"]?.elements.first?["position"] == .integer(2))
    try await api.post(SampleEvents.assigned("o-1", driver: "Bob"))
        .expectProblem(.contentConflict, pointers: ["/id"])
    let late = SampleEvents.event(
        id: "9", type: "PizzaDelivery.OrderReady", subject: "o-1", data: "{}",
        extra: #""expectedversion":1,"#)
    let conflict = try await api.post(late).expectProblem(.versionConflict)
    #expect(conflict["errors"]?.elements.first?["actualVersion"] == .integer(2))
    let page = try await api.call("GET", "/v1/activities/o-1/events").json()
    let events = page["events"]?.elements ?? []
    #expect(events.map { $0["id"]?.text } == ["placed", "assigned"])
    #expect(try await api.call("GET", "/healthz").status == 200)
    // What the log gives back may be sent again, which changes nothing.
    let echoed = try await api.post(String(decoding: events[1].bytes, as: UTF8.self))
    #expect(echoed.status == 200)
}

@Test(.timeLimit(.minutes(2)))
func `whatever the door lets in can be kept, read back and sent again`() async throws {
    let api = try await PostgresAPI.make()
    let longest = String(repeating: "é", count: 100)
    let extremes: [(subject: String, time: String, extra: String)] = [
        ("year-1", "0001-01-01T00:00:00Z", "1"),
        ("year-9999", "9999-12-31T23:59:59.999999Z", "1"),
        (longest, "2026-12-31T23:59:60Z", "1"),
        (
            "🍕\u{FFFF}\u{10FFFF}", "2027-01-15T08:00:00.1234567Z",
            "\"\u{FFFF} \\ud83c\\udf55 \\u0001\""
        ),
        ("largest", "2027-01-15T08:00:00Z", "1.7976931348623157e308"),
        ("smallest", "2027-01-15T08:00:00Z", "-4.9e-324"),
        ("digits", "2027-01-15T08:00:00Z", String(repeating: "7", count: 308)),
        ("fraction", "2027-01-15T08:00:00Z", "0." + String(repeating: "3", count: 398)),
        ("expanded", "2027-01-15T08:00:00Z", "-1." + String(repeating: "3", count: 56) + "e-323"),
        ("zero", "2027-01-15T08:00:00Z", "0e-390"),
        (
            "exponents", "2027-01-15T08:00:00Z",
            "[\(repeatElement("1e300", count: 210).joined(separator: ","))]"
        ),
        ("deep", "2027-01-15T08:00:00Z", nested(JSONParser.jsonDepthMax - 2)),
        ("wide", "2027-01-15T08:00:00Z", "\"\(String(repeating: "x", count: 64_000))\""),
    ]
    for (index, extreme) in extremes.enumerated() {
        let event = """
            {"specversion":"1.0","id":"\(index)","source":"/s","type":"PizzaDelivery.OrderReady",\
            "subject":"\(extreme.subject)","time":"\(extreme.time)","data":{"x":\(extreme.extra)}}
            """
        let answer = try await api.post(event)
        #expect(answer.status == 201, "\(extreme.subject): \(answer.text)")
        let path = "/v1/activities/\(PercentEncoding.encoded(extreme.subject))/events"
        let page = try await api.call("GET", path)
        let stored = try #require(try page.json()["events"]?.elements.first, "\(page.text)")
        #expect(stored["subject"]?.text == extreme.subject)
        let echoed = try await api.post(String(decoding: stored.bytes, as: UTF8.self))
        #expect(echoed.status == 200, "\(extreme.subject): \(echoed.text)")
    }
}

private func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
}

@Test(.timeLimit(.minutes(2)))
func `a phone registers in the real store`() async throws {
    let api = try await PostgresAPI.make()
    let body = """
        {"pushToken":"\(String(repeating: "ab", count: 80))","environment":"sandbox",\
        "bundleId":"com.example.pizza"}
        """
    let path = "/v1/activities/o-1/registrations"
    #expect(try await api.call("POST", path, body).status == 201)
    #expect(try await api.call("POST", path, body).status == 200)
}
