/// How long to wait before the next attempt to connect.
struct Backoff {
    private var millis = Limits.reconnectDelayMillisMin

    mutating func next() -> Duration {
        defer { millis = min(millis * 2, Limits.reconnectDelayMillisMax) }
        return .milliseconds(millis)
    }

    mutating func reset() { millis = Limits.reconnectDelayMillisMin }
}
