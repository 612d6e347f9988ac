public enum HTTPError: Error, Hashable, Sendable {
    case cannotListen(String)
    case cannotConnect(String)
    case tls(String)
    case connectionClosed
    case goingAway
    case streamReset(code: UInt32)
    case deadlineExceeded
    case protocolViolation(String)
    case tooLarge
}
public struct ServerLimits: Sendable {
    public var headBytesMax = 16 * 1024
    public var headersMax = 100
    public var bodyBytesMax = 1 << 20
    public var headTimeoutSeconds = 10
    public var bodyTimeoutSeconds = 30
    public var idleTimeoutSeconds = 60
    public var writeTimeoutSeconds = 30
    public var connectionsMax = 10_000
    public static let standard = ServerLimits()
    public init() {}
}
