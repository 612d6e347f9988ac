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
