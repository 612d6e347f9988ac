public import Domain
public import EventStore
import Foundation
import JSON

/// A decision or its result with the members that the API gives them, for documents that are
/// encoded elsewhere. What would be `null` is left out.
public struct LedgerDocument: Encodable {
    private let json: JSON

    public init(_ decision: Decision) { json = .object(ActivityDocument.members(decision)) }

    public init(_ outcome: LedgerRow.Outcome) { json = ActivityDocument.outcome(outcome) }

    public func encode(to encoder: any Encoder) throws {
        try Self.withoutNulls(json).encode(to: encoder)
    }

    private static func withoutNulls(_ json: JSON) throws -> JSON {
        switch json {
        case .object(let members):
            .object(
                try members.filter { $0.value != .null }
                    .map { JSON.Member(name: $0.name, value: try withoutNulls($0.value)) })
        case .array(let items): .array(try items.map(withoutNulls))
        case .encoded(let data): try withoutNulls(try JSONParser.parse(Array(data)))
        case .null, .bool, .number, .string: json
        }
    }
}
