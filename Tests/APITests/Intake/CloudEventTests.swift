import Domain
import EventStore
import Foundation
import HTTP
import JSON
import Testing

@testable import API

private func event(_ extra: String, id: String = "a1", time: Bool = true) -> String {
    let text = SampleEvents.event(
        id: id, type: "PizzaDelivery.DriverAssigned", subject: "o-1",
        data: #"{"driverName":"Ada"}"#, extra: extra)
    return time ? text : text.replacing(#""time":"2027-01-15T08:00:00Z","#, with: "")
}

/// What CloudEvents says of names and values, and what clients get wrong.
struct CloudEventTests {
    @Test(arguments: [
        ("expectedVersion", "expectedversion"), ("expected_version", "expectedversion"),
        ("EXPECTEDVERSION", "expectedversion"), ("schemaVersion", "schemaversion"),
        ("dataContentType", "datacontenttype"), ("dataSchema", "dataschema"),
        ("Subject", "subject"), ("expectedvesrion", "expectedversion"),
        ("schemversion", "schemaversion"), ("expectversion", "expectedversion"),
    ])
    func `a name that is not quite one that is read is refused, and the right one named`(
        name: String, meant: String
    ) async throws {
        let api = await Harness()
        let problem = try await api.post(event("\"\(name)\":7,"))
            .expectProblem(.invalidAttribute, pointers: ["/\(name)"])
        #expect(problem["detail"]?.text?.contains("`\(meant)`") == true, "\(problem)")
        #expect(await api.fake.log(of: Harness.mine).isEmpty)
    }

    @Test(arguments: [
        "traceParent", "trace-parent", "x y", "é", "", "a/b~c", String(repeating: "a", count: 65),
    ])
    func `a name that CloudEvents does not allow is refused, and one that it does is named`(
        name: String
    ) async throws {
        let api = await Harness()
        let answer = try await api.post(event("\"\(name)\":\"1\","))
        let problem = try answer.expectProblem(.invalidAttribute)
        let detail = try #require(problem["detail"]?.text)
        #expect(detail.contains("lower-case letters and digits"))
        #expect(detail.hasSuffix("."), "\(detail)")
        #expect(!detail.hasSuffix("?."), "\(detail)")
        if name.lowercased().hasPrefix("trace") { #expect(detail.contains("`traceparent`")) }
        #expect(await api.fake.log(of: Harness.mine).isEmpty)
    }

    @Test(arguments: [
        (#""x":1.5,"#, "/x"), (#""x":2147483648,"#, "/x"), (#""x":{},"#, "/x"),
        (#""x":[1],"#, "/x"), (#""x":"a\u0007","#, "/x"), (#""dataschema":"","#, "/dataschema"),
        (#""dataschema":"a b","#, "/dataschema"), (#""dataschema":7,"#, "/dataschema"),
        (#""dataschema":"/only/a/path","#, "/dataschema"),
    ])
    func `a value that CloudEvents does not allow is refused`(
        extra: String, pointer: String
    ) async throws {
        let api = await Harness()
        try await api.post(event(extra)).expectProblem(.invalidAttribute, pointers: [pointer])
    }

    @Test func `extension attributes are kept and given back, as many as there may be`()
        async throws
    {
        let api = await Harness()
        let sent = #""traceparent":"00-0af7-b7ad-01","sampledrate":-3,"flag":true,"none":null,"#
        #expect(try await api.post(event(sent)).status == 201)
        let odd = #""tracestate":"k=\u00e9\"","dataschema":"https://example.com/s#1","#
        #expect(try await api.post(event(odd, id: "a2")).status == 201)
        let events = try await api.get("/v1/events").json()["events"]?.elements ?? []
        #expect(events[0]["traceparent"] == "00-0af7-b7ad-01")
        #expect(events[0]["sampledrate"] == .integer(-3))
        #expect(events[0]["flag"] == .bool(true))
        #expect(!events[0].names.contains("none"))
        #expect(events[1]["tracestate"] == "k=é\"")
        #expect(events[1]["dataschema"] == "https://example.com/s#1")
        #expect(events[1].names.last == "data")
        func many(_ count: Int, _ value: String) -> String {
            (0..<count).map { "\"e\($0)\":\"\(value)\"," }.joined()
        }
        #expect(try await api.post(event(many(16, "v"), id: "a3")).status == 201)
        for tooMuch in [many(17, "v"), many(10, String(repeating: "v", count: 410))] {
            try await api.post(event(tooMuch, id: "a4"))
                .expectProblem(.invalidAttribute, pointers: [""])
        }
    }

    @Test func `of an event with thousands of bad attributes no more are looked at than are said`()
        async throws
    {
        let attributes = (0..<5_000).map { #""A\#($0)":1,"# }.joined()
        let event = SampleEvents.event(
            id: "1", type: "PizzaDelivery.OrderReady", subject: "o-1", data: "{}",
            extra: attributes)
        let document = try await Harness().post(event).expectProblem(.invalidAttribute)
        let count = Limits.errorsListedMax
        #expect(document["errors"]?.elements.count == count)
        #expect(document["detail"]?.text == "\(count) errors; `errors` lists them.")
    }

    @Test func `an event that a log gave back can be sent to another`() async throws {
        let (api, other) = (await Harness(), await Harness())
        _ = try await api.post(event(#""traceparent":"00-1","#))
        let given = try #require(try await api.get("/v1/events").json()["events"]?.elements.first)
        #expect(try await other.post(String(decoding: given.bytes, as: UTF8.self)).status == 201)
        let recorded = await other.fake.log(of: Harness.mine)
        #expect(recorded.map(\.event.extensions) == [Data(#"{"traceparent":"00-1"}"#.utf8)])
    }

    @Test func `the same event with another trace is known`() async throws {
        let api = await Harness()
        #expect(try await api.post(event(#""traceparent":"00-1","#)).status == 201)
        #expect(try await api.post(event(#""traceparent":"00-2","#)).status == 200)
        #expect(try await api.post(event("")).status == 200)
    }

    @Test func `an event without a time happened when it was received`() async throws {
        let api = await Harness()
        #expect(try await api.post(event("", time: false)).status == 201)
        let first = await api.fake.log(of: Harness.mine).first?.event
        #expect(first?.occurredAt == api.time.value)
        // Sent again, because no answer came.
        api.time.value = api.time.value.adding(seconds: 60)
        #expect(try await api.post(event("", time: false)).status == 200)
        try await api.post(event("", time: false).replacing("Ada", with: "Bob"))
            .expectProblem(.contentConflict)
        try await api.post(event(#""time":"","#, id: "a2", time: false))
            .expectProblem(.invalidAttribute, pointers: ["/time"])
    }

    @Test func `a time is kept in UTC and to the microsecond, whatever else is sent of it`()
        async throws
    {
        let api = await Harness()
        func sent(_ time: String) -> String {
            event("").replacing("2027-01-15T08:00:00Z", with: time)
        }
        #expect(try await api.post(sent("2027-01-15T10:00:00.1234569+02:00")).status == 201)
        #expect(try await api.post(sent("2027-01-15T08:00:00.1234561Z")).status == 200)
        let given = try await api.get("/v1/events").json()["events"]?.elements.first
        #expect(given?["time"]?.text == "2027-01-15T08:00:00.123456Z")
    }

    @Test
    func `one point nought is a whole number, as JSON Schema says, and one and a half is none`()
        async throws
    {
        let api = await Harness()
        #expect(
            try await api.post(event(#""schemaversion":1.0,"expectedversion":0.00,"#)).status == 201
        )
        #expect(try await api.post(event(#""sampledrate":3.0,"#, id: "a1b")).status == 201)
        let kept = await api.fake.log(of: Harness.mine).last?.event.extensions
        #expect(kept == Data(#"{"sampledrate":3}"#.utf8))
        let policy = #"{"quietHours":null,"expectedVersion":0.0}"#
        let put = try await api.call(
            "PUT", "/v1/policies/PizzaDelivery", key: "admin", body: policy,
            type: "application/json")
        #expect(put.status == 201, "\(put.text)")
        try await api.post(event(#""schemaversion":1.5,"#, id: "a2"))
            .expectProblem(.invalidAttribute, pointers: ["/schemaversion"])
        for (seconds, status) in [("3600.0", 201), ("3600.5", 422), ("null", 201)] {
            let answer = try await api.call(
                "POST", "/v1/activities/o-1/tickets", body: #"{"ttlSeconds":\#(seconds)}"#,
                type: "application/json")
            #expect(answer.status == status, "\(seconds)")
        }
    }

    @Test(arguments: [
        (#""orderNumber":"42""#, "\"orderNumber\":\"\u{200B}\"", "/data/orderNumber", "invisible"),
        (
            #""numberOfPizzas":2"#, #""numberOfPizzas":2.00000000000000000001"#,
            "/data/numberOfPizzas", "without a fraction"
        ),
        (#"2027-01-15T08:40:00Z"#, "0000-01-15T08:40:00Z", "/data/promisedAt", "0001 to 9999"),
    ])
    func `what nobody can mean is refused with its field and what to send`(
        sent: String, slip: String, pointer: String, remedy: String
    ) async throws {
        let api = await Harness()
        let event = SampleEvents.placed("o-1").replacing(sent, with: slip)
        let problem = try await api.post(event)
            .expectProblem(.invalidEventData, pointers: [pointer])
        #expect(problem["errors"]?.elements.first?["detail"]?.text?.contains(remedy) == true)
    }

    @Test(arguments: [
        ("2026-11-28 10:00:00Z", "with a `T` between the date and the time of the day"),
        ("2026-11-28T10:00:60Z", "with a second from 00 to 59, as no leap second can be then"),
        ("0000-11-28T10:00:00Z", "in the years 0001 to 9999"),
        ("2026-11-28T10:00:00", "an RFC 3339 date and time with a zone"),
    ])
    func `a time that is none is refused with its name and what to send`(
        time: String, remedy: String
    ) async throws {
        let api = await Harness()
        let sent =
            #"{"specversion":"1.0","id":"1","source":"/kitchen","subject":"o-1","#
            + #""type":"PizzaDelivery.DriverAssigned","time":"\#(time)","#
            + #""data":{"driverName":"Ada"}}"#
        let problem = try await api.post(sent)
            .expectProblem(.invalidAttribute, pointers: ["/time"])
        let detail = try #require(problem["errors"]?.elements.first?["detail"]?.text)
        #expect(detail.hasPrefix("`time` must be "))
        #expect(detail.contains(remedy), "\(detail)")
        let query = PercentEncoding.encoded(time)
        for path in ["activities?updatedSince", "overview?since"] {
            let answer = try await api.get("/v1/\(path)=\(query)")
                .expectProblem(.invalidParameter)
            let detail = try #require(answer["detail"]?.text)
            #expect(detail.contains("ince` must be ") && detail.contains(remedy), "\(detail)")
        }
        let audience = try await api.call(
            "PUT", "/v1/activities/o-1/audience", key: "all",
            body: #"{"topics":["a:b"],"notBefore":"\#(time)"}"#, type: "application/json"
        ).expectProblem(.invalidAudience, pointers: ["/notBefore"])
        #expect(audience["errors"]?.elements.first?["detail"]?.text?.contains(remedy) == true)
    }

    @Test func `a client that leaves the subject out reads what it is for`() async throws {
        let api = await Harness()
        let problem = try await api.post(event("").replacing(#""subject":"o-1","#, with: ""))
            .expectProblem(.invalidAttribute, pointers: ["/subject"])
        #expect(problem["detail"]?.text?.contains("id of the activity") == true)
    }

    @Test func `binary mode needs no content type, for an SDK sends none without datacontenttype`()
        async throws
    {
        let api = await Harness()
        let answer = try await api.call(
            "POST", "/v1/events", body: #"{"driverName":"Ada"}"#,
            headers: [
                ("ce-specversion", "1.0"), ("ce-id", "1"), ("ce-source", "/kitchen/5"),
                ("ce-type", "PizzaDelivery.DriverAssigned"), ("ce-subject", "o-1"),
                ("ce-traceparent", "00-1"),
            ])
        #expect(answer.status == 201)
        let recorded = await api.fake.log(of: Harness.mine).first?.event
        #expect(recorded?.extensions == Data(#"{"traceparent":"00-1"}"#.utf8))
        try await api.call("POST", "/v1/events", body: "{}")
            .expectProblem(.unsupportedMediaType)
    }

    @Test func `a sender that asks before it delivers is let in`() async throws {
        let api = await Harness()
        func ask(_ headers: [(String, String)]) async throws -> Answer {
            try await api.call("OPTIONS", "/v1/events", key: nil, headers: headers)
        }
        let answer = try await ask([
            ("webhook-request-origin", "eventgrid.example.com"), ("webhook-request-rate", "120"),
        ])
        #expect(answer.status == 200)
        #expect(answer.header("webhook-allowed-origin") == "eventgrid.example.com")
        #expect(answer.header("webhook-allowed-rate") == "120")
        #expect(answer.header("allow") == "POST, GET, HEAD, OPTIONS")
        for rate in ["99999999999", "0", "often"] {
            let most = try await ask([
                ("webhook-request-origin", "a.example"), ("webhook-request-rate", rate),
            ])
            #expect(most.header("webhook-allowed-rate") == "900000")
        }
        let plain = try await ask([])
        #expect(plain.status == 204)
        #expect(plain.header("webhook-allowed-origin") == nil)
        #expect(plain.header("accept-post")?.contains("application/cloudevents+json") == true)
        for origin in ["*", "a b", String(repeating: "a", count: 254), ""] {
            #expect(try await ask([("webhook-request-origin", origin)]).status == 400)
        }
    }

    @Test func `every path says which methods it has`() async throws {
        let api = await Harness()
        func allowed(_ path: String) async throws -> Answer {
            try await api.call("OPTIONS", path, key: nil)
        }
        #expect(try await allowed("/healthz").header("allow") == "GET, HEAD, OPTIONS")
        #expect(
            try await allowed("/v1/activities/o-1/registrations").header("allow")?
                .contains("POST") == true)
        #expect(try await allowed("/nowhere").status == 404)
    }
}
