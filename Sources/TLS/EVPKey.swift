import COpenSSL

/// Owns one `EVP_PKEY`.
///
/// `@unchecked Sendable` without a lock: the key is never changed after `init`, and OpenSSL lets
/// any number of threads use one key at once as long as none changes it.
final class EVPKey: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes ownership.
    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        EVP_PKEY_free(pointer)
    }

    static func generateP256() throws(TLSError) -> EVPKey {
        EVPKey(try OpenSSLErrors.check(islet_EVP_EC_generate_p256()))
    }

    static func readPrivate(pem: String) throws(TLSError) -> EVPKey {
        let bio = try MemoryBIO(pem)
        OpenSSLErrors.clear()
        // Without a callback OpenSSL would ask for a passphrase on the terminal and wait.
        guard let key = PEM_read_bio_PrivateKey(bio.pointer, nil, { _, _, _, _ in -1 }, nil) else {
            throw .privateKeyUnreadable(OpenSSLErrors.takeReason())
        }
        return EVPKey(key)
    }

    static func readPublic(pem: String) throws(TLSError) -> EVPKey {
        let bio = try MemoryBIO(pem)
        OpenSSLErrors.clear()
        guard let key = PEM_read_bio_PUBKEY(bio.pointer, nil, { _, _, _, _ in -1 }, nil) else {
            throw .publicKeyUnreadable(OpenSSLErrors.takeReason())
        }
        return EVPKey(key)
    }

    var isP256: Bool {
        guard EVP_PKEY_get_id(pointer) == EVP_PKEY_EC else { return false }
        var name = [UInt8](repeating: 0, count: 64)
        var count = 0
        let found = name.withUnsafeMutableBytes { buffer in
            EVP_PKEY_get_group_name(
                pointer, buffer.bindMemory(to: CChar.self).baseAddress, buffer.count, &count)
        }
        return found == 1 && String(decoding: name.prefix(count), as: UTF8.self) == "prime256v1"
    }

    /// PKCS#8, unencrypted.
    func privatePEM() throws(TLSError) -> String {
        try MemoryBIO.text { PEM_write_bio_PKCS8PrivateKey($0, pointer, nil, nil, 0, nil, nil) }
    }

    func publicPEM() throws(TLSError) -> String {
        try MemoryBIO.text { PEM_write_bio_PUBKEY($0, pointer) }
    }
}
