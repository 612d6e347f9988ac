import Encodings
import APNs
import TLS

/// A new API key. Only this value ever holds the text.
struct APIKey {
    /// `islet_` and 256 random bits in base64url.
    let text: String

    static func generate() -> APIKey {
        APIKey(text: "islet_" + Base64URL.encode(SecureRandom.bytes(32)))
    }

    var sha256: [UInt8] { SHA256.hash(Array(text.utf8)) }
}
