public import Domain
public import EventStore
import Foundation

/// A decision or its result with the members that the API gives them, for documents that are
/// encoded elsewhere. What would be `null` is left out.
public struct LedgerDocument: Encodable {
    private let json: JSON

    public init(_ decision: Decision) { json = .object(ActivityDocument.members(decision)) }

    public init(_ outcome: LedgerRow.Outcome) { json = ActivityDocument.outcome(outcome) }

    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }
}

extension JSON: Encodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let members):
            var container = encoder.container(keyedBy: Name.self)
            for member in members where member.value != .null {
                try container.encode(member.value, forKey: Name(stringValue: member.name))
            }
        case .array(let items):
            var container = encoder.unkeyedContainer()
            for item in items { try container.encode(item) }
        case .encoded(let data): try JSONParser.parse(Array(data)).encode(to: encoder)
        case .string(let text): try encode(text, to: encoder)
        case .bool(let value): try encode(value, to: encoder)
        case .number(let literal):
            if let whole = Int64(literal) { return try encode(whole, to: encoder) }
            try encode(Double(literal), to: encoder)
        case .null: try encode(String?.none, to: encoder)
        }
    }

    private func encode(_ value: some Encodable, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value)
    }
}
