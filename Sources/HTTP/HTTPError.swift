/// What can go wrong between us and the other side of a connection.
public enum HTTPError: Error, Hashable, Sendable {
    /// With the reason, for example "address in use".
    case cannotListen(String)
    case cannotConnect(String)
    case tls(String)
    case connectionClosed
    /// The peer takes no new requests on this connection; another connection may work.
    case goingAway
    case streamReset(code: UInt32)
    case deadlineExceeded
    /// The deadline came while the request still waited for a free stream.
    case unsentInTime
    case protocolViolation(String)
    case tooLarge
}
