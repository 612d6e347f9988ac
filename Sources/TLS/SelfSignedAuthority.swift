import COpenSSL

/// Makes a certificate authority and a server certificate at run time, for the simulator and for
/// tests. The authority's key is forgotten at once: it can sign nothing else.
public struct SelfSignedAuthority: Sendable {
    /// Trust this one.
    public let authorityPEM: String
    /// Show this one, with `privateKeyPEM`.
    public let certificatePEM: String
    public let privateKeyPEM: String

    /// - Parameters:
    ///   - hosts: host names and IP addresses the server certificate is for; the first is its
    ///     subject too.
    ///   - isExpired: the server certificate's time is over already, which clients must notice.
    /// - Throws: `TLSError.hostUnusable` for a name that is none, or for no name at all.
    public static func make(
        hosts: [String], isExpired: Bool = false
    ) throws(TLSError) -> SelfSignedAuthority {
        guard let first = hosts.first, hosts.count <= Limits.certificateHostsMax else {
            throw .hostUnusable(hosts.isEmpty ? "" : "\(hosts.count) hosts")
        }
        let names = try hosts.map(alternativeName)

        let authorityKey = try EVPKey.generateP256()
        let serverKey = try EVPKey.generateP256()
        let lifetime = Limits.authorityLifetimeDays * 86_400
        let authority = try CertificateDraft(
            subject: "Islet run-time authority", key: authorityKey, lifetimeSeconds: lifetime)
        try authority.setIssuer(authority)
        try authority.add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0")
        try authority.add(NID_key_usage, "critical,keyCertSign,cRLSign")
        try authority.add(NID_subject_key_identifier, "hash")
        try authority.sign(with: authorityKey)

        let server = try CertificateDraft(
            subject: first, key: serverKey, lifetimeSeconds: isExpired ? -60 : lifetime)
        try server.setIssuer(authority)
        try server.add(NID_basic_constraints, "critical,CA:FALSE")
        try server.add(NID_key_usage, "critical,digitalSignature")
        try server.add(NID_ext_key_usage, "serverAuth")
        try server.add(NID_subject_alt_name, names.joined(separator: ","))
        try server.add(NID_subject_key_identifier, "hash")
        try server.add(NID_authority_key_identifier, "keyid:always")
        try server.sign(with: authorityKey)

        return SelfSignedAuthority(
            authorityPEM: try authority.certificate.pem(),
            certificatePEM: try server.certificate.pem(),
            privateKeyPEM: try serverKey.privatePEM())
    }

    /// OpenSSL's spelling of one name. Only harmless characters get through, since a comma or an
    /// equals sign in that spelling would begin another name.
    private static func alternativeName(_ host: String) throws(TLSError) -> String {
        if let address = a2i_IPADDRESS(host) {
            ASN1_OCTET_STRING_free(address)
            return "IP:\(host)"
        }
        OpenSSLErrors.clear()
        let isHostName = host.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || "-.*".contains($0))
        }
        guard isHostName, (1...253).contains(host.utf8.count) else { throw .hostUnusable(host) }
        return "DNS:\(host)"
    }
}
