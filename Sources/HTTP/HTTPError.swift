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

    /// Whether the request certainly had no effect, so that sending it again cannot do it twice.
    public var isSafeToResend: Bool {
        switch self {
        case .cannotConnect, .cannotListen, .tls, .goingAway, .unsentInTime: true
        case .streamReset(let code): code == HTTP2ErrorCode.refusedStream.rawValue
        case .connectionClosed, .deadlineExceeded, .protocolViolation, .tooLarge: false
        }
    }
}

extension HTTPError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cannotListen(let reason): "cannot listen: \(reason)"
        case .cannotConnect(let reason): "cannot connect: \(reason)"
        case .tls(let reason): "TLS failed: \(reason)"
        case .connectionClosed: "the connection was closed"
        case .goingAway: "the peer takes no new requests on the connection"
        case .streamReset(let code): "the peer gave the request up (code \(code))"
        case .deadlineExceeded: "no answer in time"
        case .unsentInTime: "no room for the request in time"
        case .protocolViolation(let what): "what came is not HTTP: \(what)"
        case .tooLarge: "too large"
        }
    }
}
