public import HTTP

/// How long the client waits for what.
public struct APNsTiming: Hashable, Sendable {
    /// For one push, the wait for a connection and a free stream included.
    public var pushDeadline: Duration
    /// For one attempt to connect: look-up, TCP, TLS and the peer's settings.
    public var connectTimeout: Duration
    /// The wait after the first failed attempt to connect, doubled with each further one.
    public var reconnectDelayMin: Duration
    public var reconnectDelayMax: Duration
    public var ping: HTTP2Ping

    public init(
        pushDeadline: Duration = .seconds(10), connectTimeout: Duration = .seconds(5),
        reconnectDelayMin: Duration = .milliseconds(250),
        reconnectDelayMax: Duration = .seconds(30), ping: HTTP2Ping = .standard
    ) {
        self.pushDeadline = pushDeadline
        self.connectTimeout = connectTimeout
        self.reconnectDelayMin = reconnectDelayMin
        self.reconnectDelayMax = reconnectDelayMax
        self.ping = ping
    }

    public static let standard = APNsTiming()
}
