import Domain
import JSON

/// Something that was done for one event, as OpenTelemetry has it.
/// Source: opentelemetry-proto 1.x, trace.proto, and OTLP's JSON encoding of it.
struct Span: Sendable {
    enum Name: String {
        case append, fold, decide, push, start, broadcast, webhook
    }

    enum Kind: Int {
        case `internal` = 1
        case server = 2
        case client = 3
    }

    enum Value {
        case text(String)
        case number(Int64)

        var json: JSON {
            switch self {
            case .text(let text): ["stringValue": .string(text)]
            case .number(let number): ["intValue": .string(String(number))]
            }
        }
    }

    var trace: EventTrace
    var name: Name
    var kind: Kind
    var spanID: String
    /// Nil for the first of its trace.
    var parentID: String?
    var beganAt: Moment
    var endedAt: Moment
    var attributes: [(name: String, value: Value)]
    /// Spans of other traces that are part of the reason.
    var links: [(traceID: String, spanID: String)] = []
    /// What went wrong; nil when nothing did.
    var failure: String?

    var json: JSON {
        var members: [JSON.Member] = [
            .init(name: "traceId", value: .string(trace.traceID)),
            .init(name: "spanId", value: .string(spanID)),
            .init(name: "name", value: .string(name.rawValue)),
            .init(name: "kind", value: .integer(kind.rawValue)),
            .init(name: "startTimeUnixNano", value: Self.nanoseconds(beganAt)),
            .init(name: "endTimeUnixNano", value: Self.nanoseconds(max(beganAt, endedAt))),
            .init(name: "attributes", value: Self.attributes(attributes)),
        ]
        if let parentID { members.append(.init(name: "parentSpanId", value: .string(parentID))) }
        if let state = trace.state {
            members.append(.init(name: "traceState", value: .string(state)))
        }
        if !links.isEmpty {
            let all = links.map { link -> JSON in
                ["traceId": .string(link.traceID), "spanId": .string(link.spanID)]
            }
            members.append(.init(name: "links", value: .array(all)))
        }
        if let failure {
            members.append(
                .init(
                    name: "status", value: ["code": .integer(2), "message": .string(failure)]))
        }
        return .object(members)
    }

    /// 64 bits are text in OTLP's JSON.
    private static func nanoseconds(_ moment: Moment) -> JSON {
        .string(String(max(0, moment.microseconds)) + "000")
    }

    static func attributes(_ attributes: [(name: String, value: Value)]) -> JSON {
        .array(attributes.map { ["key": .string($0.name), "value": $0.value.json] })
    }

    /// The body of one request.
    static func body(_ spans: [Span], node: String, version: String) -> [UInt8] {
        let resource = attributes([
            ("service.name", .text("islet")), ("service.instance.id", .text(node)),
            ("service.version", .text(version)),
        ])
        let scoped: JSON = ["scope": ["name": "islet"], "spans": .array(spans.map(\.json))]
        let whole: JSON = [
            "resource": ["attributes": resource], "scopeSpans": .array([scoped]),
        ]
        return Array((["resourceSpans": .array([whole])] as JSON).canonicalBytes)
    }
}
