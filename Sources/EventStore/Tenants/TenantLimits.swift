/// What a tenant may use of each node. Nil: as the node's own settings have it.
public struct TenantLimits: Hashable, Sendable {
    public var requestsPerSecond: Int?
    public var eventsPerSecond: Int?
    /// Counts only where it is lower than the node's.
    public var bodyBytesMax: Int?
    /// Events in one request; counts likewise.
    public var batchEventsMax: Int?
    /// Of request bodies.
    public var bytesPerSecond: Int?
    /// What the tenant may keep: events in its log.
    public var storedEventsMax: Int?
    /// See `TenantUsage`.
    public var storedBytesMax: Int?

    public init(
        requestsPerSecond: Int? = nil, eventsPerSecond: Int? = nil, bodyBytesMax: Int? = nil,
        batchEventsMax: Int? = nil, bytesPerSecond: Int? = nil, storedEventsMax: Int? = nil,
        storedBytesMax: Int? = nil
    ) {
        self.requestsPerSecond = requestsPerSecond
        self.eventsPerSecond = eventsPerSecond
        self.bodyBytesMax = bodyBytesMax
        self.batchEventsMax = batchEventsMax
        self.bytesPerSecond = bytesPerSecond
        self.storedEventsMax = storedEventsMax
        self.storedBytesMax = storedBytesMax
    }

    public static let none = TenantLimits()

    /// Less would leave no room for an event.
    public static let bodyBytesMin = 1_024
}
