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
        var json: JSON = [
            "traceId": .string(trace.traceID), "spanId": .string(spanID),
            "name": .string(name.rawValue), "kind": .integer(kind.rawValue),
            "startTimeUnixNano": Self.nanoseconds(beganAt),
            "endTimeUnixNano": Self.nanoseconds(max(beganAt, endedAt)),
            "attributes": Self.attributes(attributes),
        ]
        json["parentSpanId"] = parentID.map(JSON.string)
        json["traceState"] = trace.state.map(JSON.string)
        if !links.isEmpty {
            let all = links.map { link -> JSON in
                ["traceId": .string(link.traceID), "spanId": .string(link.spanID)]
            }
            json["links"] = .array(all)
        }
        if let failure { json["status"] = ["code": .integer(2), "message": .string(failure)] }
        return json
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
