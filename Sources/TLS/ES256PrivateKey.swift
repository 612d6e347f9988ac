import COpenSSL

/// A P-256 key that signs as JSON Web Signature's ES256 does (RFC 7518, 3.4).
public struct ES256PrivateKey: Sendable {
    private let key: EVPKey
    /// PKCS#8, unencrypted, as Apple's `.p8` files are. Handle with care: this is the secret.
    public let pem: String
    public let publicKey: ES256PublicKey

    /// - Parameter pem: PKCS#8 or SEC1, unencrypted.
    /// - Throws: `TLSError.privateKeyUnreadable`, `.keyNotP256`.
    public init(pem: String) throws(TLSError) {
        try self.init(key: EVPKey.readPrivate(pem: pem))
    }

    private init(key: EVPKey) throws(TLSError) {
        guard key.isP256 else { throw .keyNotP256 }
        self.key = key
        pem = try key.privatePEM()
        publicKey = try ES256PublicKey(key: key)
    }

    public static func generate() -> ES256PrivateKey {
        do {
            return try ES256PrivateKey(key: EVPKey.generateP256())
        } catch {
            preconditionFailure("a P-256 key could not be generated: \(error)")
        }
    }

    /// The signature over the SHA-256 of `bytes`: r‖s, 64 bytes.
    public func sign(_ bytes: [UInt8]) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("out of memory") }
        defer { EVP_MD_CTX_free(context) }
        var der = [UInt8](repeating: 0, count: ES256Signature.derBytesMax)
        var count = der.count
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key.pointer) == 1,
            EVP_DigestSign(context, &der, &count, bytes, bytes.count) == 1,
            let signature = ES256Signature.joined(der: der.prefix(count))
        else { preconditionFailure("a P-256 key did not sign: \(OpenSSLErrors.takeReason())") }
        return signature
    }
}
