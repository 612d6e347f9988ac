/// What a tenant's log takes up.
public struct TenantUsage: Hashable, Sendable {
    /// In the log, at the time of the look.
    public var events: Int64
    /// Of their rows, without indexes: an average over a sample of each look's new events.
    public var bytes: Int64

    public init(events: Int64, bytes: Int64) {
        self.events = events
        self.bytes = bytes
    }
}
