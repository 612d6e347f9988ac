import APNs
import HTTP

extension PushResult {
    /// - Parameter reason: has host names, OpenSSL's and nghttp2's words, and numbers.
    static func unsent(_ reason: String) -> PushResult {
        .notAnswered(reason: reason, mayHaveBeenDelivered: false)
    }

    static let closed = unsent("this client is closed")
}

extension HTTPError {
    var reason: String {
        switch self {
        case .cannotListen(let reason), .cannotConnect(let reason):
            "cannot connect: \(reason)"
        case .tls(let reason): "TLS: \(reason)"
        case .connectionClosed: "the connection was lost"
        case .goingAway: "the peer closes the connection"
        case .streamReset(let code): "the stream was reset with code \(code)"
        case .deadlineExceeded: "no answer in time"
        case .unsentInTime: "not sent: no stream came free in time"
        case .protocolViolation(let reason): "protocol violation: \(reason)"
        case .tooLarge: "the answer was too large"
        }
    }
}
