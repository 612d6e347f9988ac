import COpenSSL

/// A SHA-256 of bytes that come piece by piece.
public final class SHA256Stream {
    private let context: OpaquePointer

    public init() {
        guard let context = EVP_MD_CTX_new(),
            EVP_DigestInit_ex(context, SHA256.algorithm, nil) == 1
        else { preconditionFailure("SHA-256 failed: \(OpenSSLErrors.takeReason())") }
        self.context = context
    }

    deinit { EVP_MD_CTX_free(context) }

    public func update(_ bytes: UnsafeRawBufferPointer) {
        guard EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) == 1 else {
            preconditionFailure("SHA-256 failed: \(OpenSSLErrors.takeReason())")
        }
    }

    /// The digest of everything so far, 32 bytes; the stream starts again.
    public func finish() -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_DigestFinal_ex(context, &digest, nil) == 1,
            EVP_DigestInit_ex(context, SHA256.algorithm, nil) == 1
        else { preconditionFailure("SHA-256 failed: \(OpenSSLErrors.takeReason())") }
        return digest
    }
}
