import Foundation

/// How a receiver can tell that a message is from here, and is no old one.
///
/// Source: Standard Webhooks, "Signature scheme".
public enum WebhookSignature {
    /// Bytes of a new secret; the convention allows 24 to 64.
    public static let secretBytes = 32

    /// As the receiver is given it.
    public static func shown(secret: [UInt8]) -> String {
        "whsec_" + Data(secret).base64EncodedString()
    }

    /// The header fields of a message. Each secret signs, the newest first.
    /// - Parameters:
    ///   - id: the same whenever the same message is sent; without a full stop.
    ///   - seconds: since 1970, of this sending.
    ///   - hmac: HMAC-SHA256 of a message by a key.
    public static func headers(
        id: String, seconds: Int64, body: [UInt8], secrets: [[UInt8]],
        hmac: (_ message: [UInt8], _ key: [UInt8]) -> [UInt8]
    ) -> [(name: String, value: String)] {
        let signed = Array("\(id).\(seconds).".utf8) + body
        let signatures = secrets.map { "v1," + Data(hmac(signed, $0)).base64EncodedString() }
        return [
            ("webhook-id", id), ("webhook-timestamp", "\(seconds)"),
            ("webhook-signature", signatures.joined(separator: " ")),
        ]
    }
}
