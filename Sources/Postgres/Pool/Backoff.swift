/// How long to wait before the next attempt to connect: twice as long each time, up to a maximum.
public struct Backoff: Sendable {
    private var millis = Limits.reconnectDelayMillisMin
    private let millisMax: Int

    /// - Parameter millisMax: the longest wait; nil for the one that all connections have.
    public init(millisMax: Int? = nil) {
        self.millisMax = millisMax ?? Limits.reconnectDelayMillisMax
    }

    public mutating func next() -> Duration {
        defer { millis = min(millis * 2, millisMax) }
        return .milliseconds(millis)
    }

    public mutating func reset() { millis = Limits.reconnectDelayMillisMin }
}
