public import Foundation

/// A fact as its source reported it, not yet in the log.
///
/// `id` together with `source` is the idempotency key: reporting it again changes nothing.
public struct NewEvent: Hashable, Sendable {
    /// CloudEvents `id`; 1 to 200 bytes.
    @ByBytes public var id: String
    /// CloudEvents `source`; 1 to 200 bytes.
    @ByBytes public var source: String
    /// Stored type, for example `PizzaDelivery.DriverAssigned`.
    @ByBytes public var type: String
    /// Version of the type's schema, from 1.
    public var schemaVersion: Int
    /// CloudEvents `subject`.
    public var activityID: ActivityID
    /// CloudEvents `time`: when it happened in the world, which may be long before it is recorded.
    public var occurredAt: Moment
    /// The CloudEvents `data` as one JSON object in UTF-8.
    public var data: Data
    /// CloudEvents attributes that are none of the above, as one JSON object in UTF-8; nil for
    /// none. Nothing is folded from them.
    public var extensions: Data?
    /// The writer gave no time, and `occurredAt` is when the event was received.
    public var isTimeAssumed: Bool
    /// The activity's version that the writer last saw; nil when the writer does not care.
    public var expectedVersion: Int64?

    public init(
        id: String, source: String, type: String, schemaVersion: Int = 1, activityID: ActivityID,
        occurredAt: Moment, data: Data, extensions: Data? = nil, isTimeAssumed: Bool = false,
        expectedVersion: Int64? = nil
    ) {
        self.id = id
        self.source = source
        self.type = type
        self.schemaVersion = schemaVersion
        self.activityID = activityID
        self.occurredAt = occurredAt
        self.data = data
        self.extensions = extensions
        self.isTimeAssumed = isTimeAssumed
        self.expectedVersion = expectedVersion
    }

    /// Without what only matters while it is recorded.
    public var asRecorded: NewEvent {
        var event = self
        event.expectedVersion = nil
        event.isTimeAssumed = false
        return event
    }
}

/// An event in the log: numbered, durable, never changed.
public struct RecordedEvent: Hashable, Sendable {
    /// The tenant in whose log it is.
    public var tenant: TenantID
    /// Place in the tenant's log: 1, 2, 3 … in commit order, without gaps.
    public var position: Int64
    /// Place in the activity's stream: 1, 2, 3 … without gaps.
    public var version: Int64
    /// When the log accepted it. Folds and decisions use this as "now", so replay needs no clock.
    public var recordedAt: Moment
    /// What was reported.
    public var event: NewEvent

    public init(
        tenant: TenantID, position: Int64, version: Int64, recordedAt: Moment, event: NewEvent
    ) {
        self.tenant = tenant
        self.position = position
        self.version = version
        self.recordedAt = recordedAt
        self.event = event
    }
}
