import EventLoop

extension Backoff {
    /// Between attempts to connect.
    static let reconnecting = Backoff(
        from: .milliseconds(Limits.reconnectDelayMillisMin),
        to: .milliseconds(Limits.reconnectDelayMillisMax))
}
