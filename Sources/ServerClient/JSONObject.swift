public import Domain
public import Foundation

/// A JSON object of any shape, as Foundation parses it.
// @unchecked: immutable after parsing, and holds only Foundation's immutable JSON values.
public struct JSONObject: @unchecked Sendable {
    private let members: [String: Any]

    public init?(_ data: Data) {
        guard let members = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            return nil
        }
        self.members = members
    }

    public init(members: [String: Any]) { self.members = members }

    public func text(_ name: String) -> String? { members[name] as? String }

    public func integer(_ name: String) -> Int64? { (members[name] as? NSNumber)?.int64Value }

    public func object(_ name: String) -> JSONObject? {
        (members[name] as? [String: Any]).map { JSONObject(members: $0) }
    }

    /// With sorted keys.
    public var json: Data {
        (try? JSONSerialization.data(
            withJSONObject: members, options: [.sortedKeys, .withoutEscapingSlashes])) ?? Data()
    }

    /// Every string that is an RFC 3339 time is replaced, at any depth.
    public func movingTimes(by move: (Moment) -> Moment) -> JSONObject {
        JSONObject(members: members.mapValues { Self.moved($0, move) })
    }

    private static func moved(_ value: Any, _ move: (Moment) -> Moment) -> Any {
        switch value {
        case let text as String: Moment(rfc3339: text).map { move($0).rfc3339 } ?? text
        case let object as [String: Any]: object.mapValues { moved($0, move) }
        case let array as [Any]: array.map { moved($0, move) }
        default: value
        }
    }
}
