public import Domain

/// An activity for which a time may have come.
public struct DueActivity: Hashable, Sendable {
    /// Its place in the order in which they are due.
    public struct Place: Hashable, Sendable {
        public var dueAt: Moment
        public var tenant: TenantID
        public var activityID: ActivityID

        public init(dueAt: Moment, tenant: TenantID, activityID: ActivityID) {
            self.dueAt = dueAt
            self.tenant = tenant
            self.activityID = activityID
        }
    }

    public var place: Place
    public var snapshot: Snapshot
    /// Last version of its stream. Everything up to there was folded, parked or skipped.
    public var streamVersion: Int64

    public init(place: Place, snapshot: Snapshot, streamVersion: Int64) {
        self.place = place
        self.snapshot = snapshot
        self.streamVersion = streamVersion
    }
}

/// What the clock asks of the snapshots. Activities are left out while they have events that are
/// yet to be folded, which may say something else; so is a blocked one, and so are all of a tenant
/// whose past is being recorded or caught up on.
public protocol ClockStore: Sendable {
    /// Activities whose time has come by `now`, in order, after the given place.
    func due(_ now: Moment, _ after: DueActivity.Place?, _ limit: Int) async throws(EventStoreError)
        -> [DueActivity]
    /// When the first one after `now` is due; nil when none is.
    func nextDue(_ now: Moment) async throws(EventStoreError) -> Moment?
    /// Writes down the due times that these snapshots have now, unless there are newer snapshots.
    func correct(_ activities: [DueActivity]) async throws(EventStoreError)
    /// What the database's clock says. It is one for all nodes, whatever theirs say.
    func time() async throws(EventStoreError) -> Moment
}
