public import Domain

/// Figures of each minute, kept for a fortnight.
public protocol SeriesStore: Sendable {
    /// Adds to what there is of the same minutes.
    func add(_ rows: [SeriesRow]) async throws(EventStoreError)
    /// In steps of so many seconds from a moment on; steps without any figure are left out.
    func read(_ tenant: TenantID, _ since: Moment, _ stepSeconds: Int)
        async throws(EventStoreError) -> [SeriesRow]
    /// Removes what is older than is kept.
    func prune(_ now: Moment) async throws(EventStoreError)
}
