import Domain
public import Foundation

/// One member of a state that changed, as JSON text on both sides; nil where it is absent.
public struct MemberChange: Hashable, Codable, Sendable {
    /// Member names joined by dots, for example `deliveryTimer` or `score.home`.
    public var member: String
    /// JSON; nil when the member was not there.
    public var before: String?
    /// JSON; nil when the member is gone.
    public var after: String?
}

/// What differs between two JSON objects, member by member, sorted by name.
public enum StateDifference {
    /// - Parameters: JSON objects; anything else counts as an object without members.
    public static func between(_ before: Data?, _ after: Data) -> [MemberChange] {
        let old = before.map(members) ?? [:]
        let new = members(after)
        return Set(old.keys).union(new.keys).sorted().compactMap { name in
            old[name].hasBytes(of: new[name])
                ? nil : MemberChange(member: name, before: old[name], after: new[name])
        }
    }

    private static func members(_ data: Data) -> [String: String] {
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            return [:]
        }
        var flat: [String: String] = [:]
        flatten(object, "", into: &flat)
        return flat
    }

    private static func flatten(
        _ object: [String: Any], _ prefix: String, into flat: inout [String: String]
    ) {
        for (name, value) in object {
            if let inner = value as? [String: Any], !inner.isEmpty {
                flatten(inner, "\(prefix)\(name).", into: &flat)
            } else {
                flat[prefix + name] = text(value)
            }
        }
    }

    private static func text(_ value: Any) -> String {
        let data = try? JSONSerialization.data(
            withJSONObject: value,
            options: [.sortedKeys, .fragmentsAllowed, .withoutEscapingSlashes])
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "?"
    }
}
