import COpenSSL

/// Authenticated encryption by AES-256 in Galois/Counter Mode (NIST SP 800-38D).
public enum AES256GCM {
    public static let keyBytes = 32
    public static let nonceBytes = 12
    private static let tagBytes = 16

    /// - Parameters:
    ///   - key: 32 bytes.
    ///   - binding: not in the result, and needed to open it.
    ///   - nonce: 12 bytes that are never used again with this key but for these bytes; random
    ///     unless given.
    /// - Returns: the nonce, the ciphertext and the tag.
    public static func seal(
        _ bytes: [UInt8], key: [UInt8], binding: [UInt8],
        nonce: [UInt8] = SecureRandom.bytes(nonceBytes)
    ) -> [UInt8] {
        precondition(key.count == keyBytes, "AES-256 has keys of 32 bytes")
        precondition(nonce.count == nonceBytes, "GCM has nonces of 12 bytes")
        guard let context = EVP_CIPHER_CTX_new() else { preconditionFailure("out of memory") }
        defer { EVP_CIPHER_CTX_free(context) }
        var sealed = [UInt8](repeating: 0, count: bytes.count)
        var tag = [UInt8](repeating: 0, count: tagBytes)
        var count: Int32 = 0
        guard EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1,
            EVP_EncryptUpdate(context, nil, &count, binding, Int32(binding.count)) == 1,
            EVP_EncryptUpdate(context, &sealed, &count, bytes, Int32(bytes.count)) == 1,
            Int(count) == bytes.count,
            EVP_EncryptFinal_ex(context, &tag, &count) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagBytes), &tag) == 1
        else { preconditionFailure("AES-GCM failed: \(OpenSSLErrors.takeReason())") }
        return nonce + sealed + tag
    }

    /// - Returns: nil unless this key sealed exactly these bytes with this binding.
    public static func open(_ sealed: [UInt8], key: [UInt8], binding: [UInt8]) -> [UInt8]? {
        guard key.count == keyBytes, sealed.count >= nonceBytes + tagBytes,
            let context = EVP_CIPHER_CTX_new()
        else { return nil }
        defer {
            EVP_CIPHER_CTX_free(context)
            OpenSSLErrors.clear()
        }
        let nonce = Array(sealed.prefix(nonceBytes))
        var tag = Array(sealed.suffix(tagBytes))
        let hidden = Array(sealed.dropFirst(nonceBytes).dropLast(tagBytes))
        var bytes = [UInt8](repeating: 0, count: hidden.count)
        var rest = [UInt8](repeating: 0, count: tagBytes)
        var count: Int32 = 0
        guard EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1,
            EVP_DecryptUpdate(context, nil, &count, binding, Int32(binding.count)) == 1,
            EVP_DecryptUpdate(context, &bytes, &count, hidden, Int32(hidden.count)) == 1,
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tagBytes), &tag) == 1,
            EVP_DecryptFinal_ex(context, &rest, &count) == 1
        else { return nil }
        return bytes
    }
}
