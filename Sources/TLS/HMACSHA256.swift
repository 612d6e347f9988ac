import COpenSSL

/// Message authentication codes by HMAC with SHA-256 (RFC 2104).
public enum HMACSHA256 {
    /// 32 bytes.
    public static func code(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        let result = HMAC(
            EVP_sha256(), key, Int32(key.count), message, message.count, &code, &count)
        guard result != nil, count == 32 else {
            preconditionFailure("HMAC failed: \(OpenSSLErrors.takeReason())")
        }
        return code
    }

    /// Takes as long for a code that is nearly right as for any other of 32 bytes.
    public static func isValid(_ code: [UInt8], for message: [UInt8], key: [UInt8]) -> Bool {
        let right = self.code(for: message, key: key)
        return code.count == right.count && CRYPTO_memcmp(code, right, right.count) == 0
    }
}
