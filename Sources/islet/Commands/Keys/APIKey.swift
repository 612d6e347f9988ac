import APNs
import TLS

/// A new API key. Only this value ever holds the text.
struct APIKey {
    /// `islet_` and 256 random bits in base64url.
    let text: String

    static func generate() -> APIKey {
        let secret = Base64URL.encode(SecureRandom.bytes(32))
        return APIKey(text: "islet_" + String(decoding: secret, as: UTF8.self))
    }

    var sha256: [UInt8] { SHA256.hash(Array(text.utf8)) }
}
