import Domain
import Foundation
import JSON

/// The attributes of an event that are kept without being read. Their values are texts, whole
/// numbers and booleans, so none is changed by being decoded.
struct KeptAttributes {
    let bytes: Data?

    init(
        from members: KeyedDecodingContainer<AnyName>, besides known: Set<String>
    ) throws {
        let kept = try members.allKeys.filter { !known.contains($0.stringValue) }.map { name in
            let value = try members.decode(JSON.self, forKey: name)
            guard let simple = FieldValue(value), simple != .other else {
                throw DecodingError.dataCorruptedError(
                    forKey: name, in: members,
                    debugDescription: "is no text, whole number or boolean")
            }
            return JSON.Member(name: name.stringValue, value: value)
        }
        bytes = kept.isEmpty ? nil : Data(JSON.object(kept).canonicalBytes)
    }
}
