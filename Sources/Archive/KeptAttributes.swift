import Foundation
import JSON

/// The attributes of an event that are kept without being read. Their values are texts, whole
/// numbers and booleans, so none is changed by being decoded.
struct KeptAttributes {
    let bytes: Data?

    init(from decoder: any Decoder, besides known: Set<String>) throws {
        let members = try decoder.container(keyedBy: AnyName.self)
        let kept = try members.allKeys.filter { !known.contains($0.stringValue) }
            .map {
                JSON.Member(name: $0.stringValue, value: try members.decode(JSON.self, forKey: $0))
            }
        bytes = kept.isEmpty ? nil : Data(JSON.object(kept).canonicalBytes)
    }
}
