import Domain
import EventStore
import Foundation
import JSON
import Testing

@testable import Hosting

private let tenant = TenantID(rawValue: 7)

private func event(_ id: String, extensions: String? = nil) -> NewEvent {
    NewEvent(
        id: id, source: "/shop", type: "PizzaDelivery.OrderPlaced", schemaVersion: 1,
        activityID: ActivityID(rawValue: "order-1"), occurredAt: Moment(unixSeconds: 1_800_000_000),
        data: Data("{}".utf8), extensions: extensions.map { Data($0.utf8) })
}

private let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331"

struct `The trace of an event` {
    @Test func `is the one that its sender began, if the sender records it`() throws {
        let sent = event("1", extensions: #"{"traceparent":"\#(parent)-01","tracestate":"a=b"}"#)
        let trace = try #require(EventTrace(sent, of: tenant, ratio: 0))
        #expect(trace.traceID == "0af7651916cd43dd8448eb211c80319c")
        #expect(trace.parentID == "b7ad6b7169203331")
        #expect(trace.state == "a=b")
        let left = event("1", extensions: #"{"traceparent":"\#(parent)-00"}"#)
        #expect(EventTrace(left, of: tenant, ratio: 1) == nil)
    }

    @Test func `begins with the event otherwise, and every node finds the same`() throws {
        let trace = try #require(EventTrace(event("1"), of: tenant, ratio: 1))
        #expect(trace.traceID.count == 32)
        #expect(trace.parentID == nil)
        #expect(EventTrace(event("1"), of: tenant, ratio: 1) == trace)
        #expect(EventTrace(event("2"), of: tenant, ratio: 1) != trace)
        #expect(EventTrace(event("1"), of: TenantID(rawValue: 8), ratio: 1) != trace)
        #expect(EventTrace(event("1"), of: tenant, ratio: 0) == nil)
    }

    @Test func `is recorded for about the share of events that is wanted`() {
        let count = (0..<4_000).count {
            EventTrace(event("\($0)"), of: tenant, ratio: 0.25) != nil
        }
        #expect((850...1_150).contains(count), "\(count)")
    }

    @Test func `has one span for each thing that is done at a position`() throws {
        let trace = try #require(EventTrace(event("1"), of: tenant, ratio: 1))
        let spans = [Span.Name.append, .fold, .decide].flatMap { name in
            [1, 2].map { trace.spanID(name, tenant, $0) }
        }
        #expect(Set(spans).count == spans.count)
        #expect(spans.allSatisfy { $0.count == 16 })
    }
}

struct `A span` {
    private func span(_ failure: String? = nil) throws -> Span {
        Span(
            trace: try #require(EventTrace(event("1"), of: tenant, ratio: 1)), name: .push,
            kind: .client, spanID: "00f067aa0ba902b7", parentID: nil,
            beganAt: Moment(microseconds: 1_800_000_000_000_001),
            endedAt: Moment(microseconds: 1_800_000_000_000_000),
            attributes: [("islet.phones", .number(3))],
            links: [(traceID: "t", spanID: "s")], failure: failure)
    }

    @Test func `never ends before it began, and its numbers of 64 bits are text`() throws {
        let json = try span().json
        #expect(json["startTimeUnixNano"]?.text == "1800000000000001000")
        #expect(json["endTimeUnixNano"]?.text == "1800000000000001000")
        #expect(json["parentSpanId"] == nil)
        #expect(json["status"] == nil)
        #expect(
            json["attributes"]
                == .array([["key": "islet.phones", "value": ["intValue": "3"]]]))
        #expect(json["links"] == .array([["traceId": "t", "spanId": "s"]]))
    }

    @Test func `says what went wrong by OpenTelemetry's code for an error`() throws {
        #expect(
            try span("Shutdown").json["status"]
                == ["code": .integer(2), "message": .string("Shutdown")])
    }

    @Test func `goes to a collector with the node's name and the program's version`() throws {
        let body = try JSONParser.parse(Span.body([try span()], node: "n-1", version: "9"))
        guard case .array(let resources)? = body["resourceSpans"], let whole = resources.first,
            case .array(let scopes)? = whole["scopeSpans"], let scoped = scopes.first,
            case .array(let spans)? = scoped["spans"]
        else {
            Issue.record("\(body)")
            return
        }
        #expect(scoped["scope"]?["name"] == "islet")
        #expect(spans.map(\.canonicalBytes) == [try span().json.canonicalBytes])
        #expect(
            whole["resource"]?["attributes"]
                == .array([
                    ["key": "service.name", "value": ["stringValue": "islet"]],
                    ["key": "service.instance.id", "value": ["stringValue": "n-1"]],
                    ["key": "service.version", "value": ["stringValue": "9"]],
                ]))
    }
}
