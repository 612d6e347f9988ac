import COpenSSL

/// The public half of an ES256 key: checks signatures.
public struct ES256PublicKey: Sendable {
    private let key: EVPKey
    /// SubjectPublicKeyInfo.
    public let pem: String

    /// - Throws: `TLSError.publicKeyUnreadable`, `.keyNotP256`.
    public init(pem: String) throws(TLSError) {
        try self.init(key: EVPKey.readPublic(pem: pem))
    }

    init(key: EVPKey) throws(TLSError) {
        guard key.isP256 else { throw .keyNotP256 }
        self.key = key
        pem = try key.publicPEM()
    }

    /// - Parameter signature: r‖s; anything but 64 bytes is not valid.
    public func isValid(signature: [UInt8], for bytes: [UInt8]) -> Bool {
        guard let der = ES256Signature.der(joined: signature) else { return false }
        guard let context = EVP_MD_CTX_new() else { preconditionFailure("out of memory") }
        defer {
            EVP_MD_CTX_free(context)
            OpenSSLErrors.clear()
        }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key.pointer) == 1 else {
            return false
        }
        return EVP_DigestVerify(context, der, der.count, bytes, bytes.count) == 1
    }
}
