public import Domain

/// What people who look after a tenant's activities ask.
public struct BoardStore: Sendable {
    /// Activities that may be meant: whose id begins with a text, that have a word which begins
    /// with one of the others, and those that changed last. Of each sort up to
    /// `Limits.searchedActivitiesMax`; whoever asks has to look whether they are.
    /// - Returns: in no order, and whether there are more.
    public var search:
        @Sendable (_ tenant: TenantID, _ idBeginning: String, _ wordBeginnings: [String])
            async throws(EventStoreError) -> (snapshots: [Snapshot], isPartial: Bool)
    public var standings:
        @Sendable (_ tenant: TenantID, _ activities: [ActivityID])
            async throws(EventStoreError) -> [ActivityID: Standing]
    /// Cards that are served, in order of ids; with `after` nil preceded by the newest of those
    /// that are not served any more.
    public var phones:
        @Sendable (_ tenant: TenantID, _ activity: ActivityID, _ after: Int64?, _ limit: Int)
            async throws(EventStoreError) -> [PhoneRow]
    public var attention:
        @Sendable (_ tenant: TenantID, _ now: Moment) async throws(EventStoreError) -> Attention

    public init(
        search:
            @escaping @Sendable (
                _ tenant: TenantID, _ idBeginning: String, _ wordBeginnings: [String]
            ) async throws(EventStoreError) -> (snapshots: [Snapshot], isPartial: Bool),
        standings:
            @escaping @Sendable (_ tenant: TenantID, _ activities: [ActivityID])
            async throws(EventStoreError) -> [ActivityID: Standing],
        phones:
            @escaping @Sendable (
                _ tenant: TenantID, _ activity: ActivityID, _ after: Int64?, _ limit: Int
            ) async throws(EventStoreError) -> [PhoneRow],
        attention:
            @escaping @Sendable (_ tenant: TenantID, _ now: Moment)
            async throws(EventStoreError) -> Attention
    ) {
        self.search = search
        self.standings = standings
        self.phones = phones
        self.attention = attention
    }
}

extension BoardStore {
    /// Of a store that nobody looks after.
    public static let none = BoardStore(
        search: { _, _, _ in ([], false) }, standings: { _, _ in [:] },
        phones: { _, _, _, _ in [] },
        attention: { _, _ in Attention(progress: Progress(position: 0, head: 0)) })
}
