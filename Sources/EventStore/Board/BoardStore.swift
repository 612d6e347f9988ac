public import Domain

/// What people who look after a tenant's activities ask.
public protocol BoardStore: Sendable {
    /// Activities that may be meant: whose id begins with a text, that have words which begin with
    /// some of the others, and those that changed last. Of each of the three sorts there is a
    /// bound, and some may not be meant: the caller has to check.
    /// - Returns: in no order, and whether there are more.
    func search(_ tenant: TenantID, _ idBeginning: String, _ wordBeginnings: [String])
        async throws(EventStoreError) -> (snapshots: [Snapshot], isPartial: Bool)
    func progress(_ tenant: TenantID, _ activities: [ActivityID]) async throws(EventStoreError)
        -> [ActivityID: DeliveryProgress]
    /// Cards that are served, in order of ids; with `after` nil preceded by the newest of those
    /// that are not served any more.
    func phones(_ tenant: TenantID, _ activity: ActivityID, _ after: Int64?, _ limit: Int)
        async throws(EventStoreError) -> [PhoneRow]
    /// Phones that need help: those whose push was given up come first, then those that wait to be
    /// sent something. Of each sort there is a bound, and of those that wait for another try only
    /// such as are among an activity's first phones are found.
    func behind(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> [PhoneRow]
    func attention(_ tenant: TenantID, _ now: Moment) async throws(EventStoreError) -> Attention
}
