public import Domain

/// An event of another log, to be recorded with the time at which it was first recorded.
public struct ImportedEvent: Hashable, Sendable {
    public var recordedAt: Moment
    public var event: NewEvent

    public init(recordedAt: Moment, event: NewEvent) {
        self.recordedAt = recordedAt
        self.event = event
    }
}

/// The door through which a log comes in that was written elsewhere.
///
/// Besides it only `EventLog.append` writes events; this one keeps the times of recording.
public struct EventImport: Sendable {
    /// Records, in the given order, what the log does not know yet; all of it or, when an event is
    /// known with other content, nothing. Events recorded earlier than the log's last get that
    /// one's time, since times of recording never decrease along a log.
    /// - Returns: one result per event: `.recorded`, `.alreadyKnown`, `.contentConflict` or
    ///   `.notRecorded`.
    public var record:
        @Sendable (_ tenant: TenantID, _ events: [ImportedEvent])
            async throws(EventStoreError) -> [AppendResult]

    public init(
        record:
            @escaping @Sendable (_ tenant: TenantID, _ events: [ImportedEvent])
            async throws(EventStoreError) -> [AppendResult]
    ) {
        self.record = record
    }
}
