import Encodings
import EventStore
import HTTP

/// A weak validator (RFC 9110, section 8.8.1): equal tags stand for answers that say the same.
struct EntityTag: Hashable, Sendable {
    let text: String

    /// 64 bits of FNV-1a. Somebody who could make two of a tenant's answers collide would only keep
    /// that tenant from news of itself.
    /// - Parameter epoch: of the log that they were read from.
    init(of bytes: some Sequence<UInt8>, in epoch: Int64 = firstLogEpoch) {
        let root = epoch == firstLogEpoch ? "" : "\(epoch)."
        text = "W/\"" + root + String(FNV1a.hash(bytes), radix: 16) + "\""
    }

    /// The client has what the tag stands for.
    func isNamed(by request: Request) -> Bool {
        request.headers.values(of: "if-none-match").contains { field in
            field.split(separator: ",").contains { listed in
                let tag = listed.drop { $0 == " " }.prefix { $0 != " " }
                return tag == "*" || tag == text || "W/\(tag)" == text
            }
        }
    }
}
