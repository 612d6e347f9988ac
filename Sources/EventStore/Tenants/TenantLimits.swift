/// What a tenant may use of each node. Nil: as the node's own settings have it.
public struct TenantLimits: Hashable, Sendable {
    public var requestsPerSecond: Int?
    public var eventsPerSecond: Int?
    /// Only ever lower than the node's.
    public var bodyBytesMax: Int?
    /// Events in one request; only ever lower than the node's.
    public var batchEventsMax: Int?

    public init(
        requestsPerSecond: Int? = nil, eventsPerSecond: Int? = nil, bodyBytesMax: Int? = nil,
        batchEventsMax: Int? = nil
    ) {
        self.requestsPerSecond = requestsPerSecond
        self.eventsPerSecond = eventsPerSecond
        self.bodyBytesMax = bodyBytesMax
        self.batchEventsMax = batchEventsMax
    }

    public static let none = TenantLimits()
}
