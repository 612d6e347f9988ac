/// Where an event stands in the log, and since when.
public struct EventPlace: Sendable {
    /// Its place in the tenant's log.
    public var position: Int64
    /// Its place in the activity's stream.
    public var version: Int64
    /// When the log accepted it.
    public var recordedAt: Moment

    public init(position: Int64, version: Int64, recordedAt: Moment) {
        self.position = position
        self.version = version
        self.recordedAt = recordedAt
    }
}
