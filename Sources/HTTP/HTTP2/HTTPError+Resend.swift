extension HTTPError {
    /// Whether the request certainly had no effect, so that sending it again cannot do it twice.
    public var isSafeToResend: Bool {
        switch self {
        case .cannotConnect, .cannotListen, .tls, .goingAway, .unsentInTime: true
        case .streamReset(let code): code == HTTP2ErrorCode.refusedStream.rawValue
        case .connectionClosed, .deadlineExceeded, .protocolViolation, .tooLarge: false
        }
    }
}
