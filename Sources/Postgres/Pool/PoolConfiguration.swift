/// How many connections a pool has and how long callers wait for one.
public struct PoolConfiguration: Hashable, Sendable {
    public var connection: ConnectionConfiguration
    public var connectionsMax: Int
    /// How long a caller waits for a free connection before `poolTimedOut`.
    public var acquireTimeoutSeconds: Double
    /// Callers that may wait at the same time; a further one gets `poolQueueFull` at once.
    public var waitersMax: Int

    public static let connectionsMaxDefault = 16

    public init(
        connection: ConnectionConfiguration, connectionsMax: Int = connectionsMaxDefault,
        acquireTimeoutSeconds: Double = 5, waitersMax: Int = 10_000
    ) {
        precondition(connectionsMax > 0, "a pool of \(connectionsMax) connections")
        self.connection = connection
        self.connectionsMax = connectionsMax
        self.acquireTimeoutSeconds = acquireTimeoutSeconds
        self.waitersMax = waitersMax
    }
}
