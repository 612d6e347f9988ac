public import Domain

/// Looking after what is folded, for operators.
public protocol UpkeepStore: Sendable {
    /// The status of every tenant, by id.
    func status() async throws(EventStoreError) -> [ProjectionStatus]
    /// The lag of every tenant that has one.
    func lags() async throws(EventStoreError) -> [ProjectionLag]
    /// Events parked in the live generation after a position, by position.
    /// - Parameter isSkipped: which of them; nil for both.
    func parked(
        _ tenant: TenantID, _ activity: ActivityID?, isSkipped: Bool?, _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [ParkedRow]
    /// Positions of an activity's events that are left out of the live generation: the first ones.
    func skipped(_ tenant: TenantID, _ activity: ActivityID, _ limit: Int)
        async throws(EventStoreError) -> [Int64]
    /// Folds one activity again from its stream, up to the checkpoint and without skipped events,
    /// while nobody else folds the tenant; all that comes of it commits in one transaction.
    /// - Parameters:
    ///   - skipping: position of a parked event of the activity that is to be left out from now on.
    ///   - fold: says what comes of it; nil leaves everything as it is.
    /// - Returns: false when `fold` gave nil.
    func refold(
        _ tenant: TenantID, _ activity: ActivityID, _ skipping: Int64?,
        _ fold: @Sendable (RefoldInput) -> FoldResult?
    ) async throws(EventStoreError) -> Bool
}

extension UpkeepStore {
    /// Every parked event of a tenant or an activity, skipped ones too, by position.
    public func allParked(
        _ tenant: TenantID, _ activity: ActivityID? = nil
    ) async throws(EventStoreError) -> [ParkedRow] {
        var rows: [ParkedRow] = []
        while true {
            let page = try await parked(
                tenant, activity, isSkipped: nil, rows.last?.event.position ?? 0, Limits.pageParked)
            rows += page
            if page.count < Limits.pageParked { return rows }
        }
    }
}

/// What a refold has to work with.
public struct RefoldInput: Sendable {
    /// The activity's stream up to the checkpoint, without skipped events.
    public var events: [RecordedEvent]
    /// The activity as it is stored.
    public var stored: Snapshot?
    /// Versions that have a decision.
    public var decided: Set<Int64>
    /// The policies in force for `events`.
    public var policies: TenantPolicies

    public init(
        events: [RecordedEvent], stored: Snapshot?, decided: Set<Int64>,
        policies: TenantPolicies = .none
    ) {
        self.policies = policies
        self.events = events
        self.stored = stored
        self.decided = decided
    }
}
