import COpenSSL

public enum SecureRandom {
    /// Bytes fit for keys. A system without entropy is no place to go on: it traps.
    public static func bytes(_ count: Int) -> [UInt8] {
        precondition(count >= 0)
        var bytes = [UInt8](repeating: 0, count: count)
        guard count == 0 || RAND_bytes(&bytes, Int32(count)) == 1 else {
            preconditionFailure("no random bytes: \(OpenSSLErrors.takeReason())")
        }
        return bytes
    }
}
