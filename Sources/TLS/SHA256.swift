import COpenSSL

public enum SHA256 {
    /// The digest, 32 bytes.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        guard EVP_Digest(bytes, bytes.count, &digest, &count, EVP_sha256(), nil) == 1 else {
            preconditionFailure("SHA-256 failed: \(OpenSSLErrors.takeReason())")
        }
        return digest
    }
}
