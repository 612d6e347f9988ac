import Encodings

/// How an API key looks: `islet_` and 256 random bits in base64url.
public enum APIKey {
    /// - Parameter secret: 32 random bytes.
    public static func text(of secret: [UInt8]) -> String { "islet_" + Base64URL.encode(secret) }
}
