import COpenSSL

public enum SHA256 {
    /// What `EVP_sha256` gives is looked up by OpenSSL for each digest, which takes longer than a
    /// short one itself.
    nonisolated(unsafe) static let algorithm = EVP_MD_fetch(nil, "SHA256", nil) ?? EVP_sha256()

    /// The digest, 32 bytes.
    public static func hash(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        guard EVP_Digest(bytes, bytes.count, &digest, &count, algorithm, nil) == 1 else {
            preconditionFailure("SHA-256 failed: \(OpenSSLErrors.takeReason())")
        }
        return digest
    }
}
