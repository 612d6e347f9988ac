public import Domain

/// The result of one event of an append.
public enum AppendResult: Hashable, Sendable {
    case recorded(position: Int64, version: Int64)
    /// The same `id` and `source` with the same content were recorded before, there.
    case alreadyKnown(position: Int64, version: Int64)
    /// The same `id` and `source` stand in the log with other content.
    case contentConflict(position: Int64)
    /// The same `id` and `source` stand earlier in the same atomic append, with other content.
    case batchConflict
    /// `expectedVersion` was given and the activity is at another version.
    case versionConflict(actual: Int64)
    /// The event is fine, but another of the same atomic append was not; nothing was recorded.
    case notRecorded
}

/// The append-only log: per tenant dense positions, per activity dense versions.
public protocol EventLog: Sendable {
    /// Returns after the commit, with one result per event in the given order. Calls of many
    /// requests share one transaction.
    /// - Parameter isAtomic: appends all or, when any event conflicts, none. Otherwise every event
    ///   that conflicts with nothing, whatever becomes of the others: no outcome is `notRecorded`.
    func append(_ tenant: TenantID, _ events: [NewEvent], isAtomic: Bool)
        async throws(EventStoreError) -> [AppendResult]
    /// Events within a range of positions that pass a filter, in order of position.
    func select(
        _ tenant: TenantID, _ filter: EventFilter, _ positions: ClosedRange<Int64>, _ limit: Int
    ) async throws(EventStoreError) -> [RecordedEvent]
    /// Events of one activity after a version, in order of version.
    func readActivity(_ tenant: TenantID, _ activity: ActivityID, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [RecordedEvent]
    /// Last position of the tenant's log; 0 when it is empty.
    func head(_ tenant: TenantID) async throws(EventStoreError) -> Int64
}

extension EventLog {
    /// Appends all or none.
    public func append(_ tenant: TenantID, _ events: [NewEvent]) async throws(EventStoreError)
        -> [AppendResult]
    { try await append(tenant, events, isAtomic: true) }

    /// Events after a position, in order of position.
    public func read(_ tenant: TenantID, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [RecordedEvent]
    { try await select(tenant, EventFilter(), after + 1 ... .max, limit) }
}
