/// What can go wrong in this module. The texts come from OpenSSL's own tables, or name a host or a
/// file that the operator configured; none carries key material or bytes of the traffic.
public enum TLSError: Error, Hashable, Sendable {
    /// A private key that is not PEM, is encrypted, or does not fit its certificate.
    case privateKeyUnreadable(String)
    case publicKeyUnreadable(String)
    /// ES256 is defined for the curve P-256 only.
    case keyNotP256
    case certificateUnreadable(String)
    /// The trust anchors could not be loaded.
    case trustUnreadable(String)
    /// A host name or address that cannot stand in a certificate.
    case hostUnusable(String)
    /// The peer's certificate was refused: unknown authority, wrong host name, expired.
    case peerRefused(String)
    case handshakeFailed(String)
    /// A record that cannot be decrypted, or an alert, after the handshake.
    case sessionFailed(String)
    /// OpenSSL refused something that only lack of memory or entropy should make it refuse.
    case libraryFailed(String)
}

extension TLSError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .privateKeyUnreadable(let why): "the private key cannot be read: \(why)"
        case .publicKeyUnreadable(let why): "the public key cannot be read: \(why)"
        case .keyNotP256: "the key is not for the curve P-256"
        case .certificateUnreadable(let why): "the certificate cannot be read: \(why)"
        case .trustUnreadable(let why): "the certificate authority cannot be read: \(why)"
        case .hostUnusable(let host): "\(host) cannot stand in a certificate"
        case .peerRefused(let why): "the peer's certificate is not trusted: \(why)"
        case .handshakeFailed(let why): "the handshake failed: \(why)"
        case .sessionFailed(let why): "the session broke: \(why)"
        case .libraryFailed(let why): "OpenSSL refused: \(why)"
        }
    }
}
