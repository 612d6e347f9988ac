import COpenSSL

/// A certificate being made: filled in step by step, signed last.
final class CertificateDraft {
    let certificate: Certificate
    private var issuer: OpaquePointer?

    /// - Parameter lifetimeSeconds: from now; negative for a certificate that has expired.
    init(subject: String, key: EVPKey, lifetimeSeconds: Int) throws(TLSError) {
        let pointer = try OpenSSLErrors.check(X509_new())
        certificate = Certificate(pointer)
        // Common names end at 64 characters; what counts is the alternative names.
        let name = Array(subject.utf8.prefix(64))
        let isFilledIn =
            X509_set_version(pointer, Int(X509_VERSION_3)) == 1
            && Self.setSerialNumber(of: pointer)
            && X509_gmtime_adj(X509_getm_notBefore(pointer), -Limits.clockToleranceSeconds) != nil
            && X509_gmtime_adj(X509_getm_notAfter(pointer), lifetimeSeconds) != nil
            && X509_NAME_add_entry_by_NID(
                X509_get_subject_name(pointer), NID_commonName, V_ASN1_UTF8STRING, name,
                Int32(name.count), -1, 0) == 1
            && X509_set_pubkey(pointer, key.pointer) == 1
        try OpenSSLErrors.check(isFilledIn)
    }

    private static func setSerialNumber(of certificate: OpaquePointer) -> Bool {
        var bytes = SecureRandom.bytes(16)
        bytes[0] &= 0x7f
        guard let number = BN_bin2bn(bytes, Int32(bytes.count), nil) else { return false }
        defer { BN_free(number) }
        return BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
    }

    func setIssuer(_ other: CertificateDraft) throws(TLSError) {
        issuer = other.certificate.pointer
        let name = X509_get_subject_name(other.certificate.pointer)
        try OpenSSLErrors.check(X509_set_issuer_name(certificate.pointer, name) == 1)
    }

    /// - Parameters:
    ///   - identifier: OpenSSL's number of the extension.
    ///   - text: the extension as in `openssl.cnf`.
    func add(_ identifier: Int32, _ text: String) throws(TLSError) {
        OpenSSLErrors.clear()
        let addition = try OpenSSLErrors.check(
            islet_X509_extension(issuer, certificate.pointer, identifier, text))
        defer { X509_EXTENSION_free(addition) }
        try OpenSSLErrors.check(X509_add_ext(certificate.pointer, addition, -1) == 1)
    }

    func sign(with key: EVPKey) throws(TLSError) {
        try OpenSSLErrors.check(X509_sign(certificate.pointer, key.pointer, EVP_sha256()) > 0)
    }
}
