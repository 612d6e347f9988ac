import Domain
import EventStore
import Postgres

/// What a claim is a claim on.
struct ClaimKey: Hashable, Sendable {
    var tenant: TenantID
    var activity: ActivityID

    init(tenant: TenantID, activity: ActivityID) {
        self.tenant = tenant
        self.activity = activity
    }

    init(_ row: Row) throws(PostgresError) {
        self.init(tenant: try row.tenant(0), activity: try row.activity(1))
    }

    init(_ claim: DeliveryClaim) {
        self.init(tenant: claim.tenant, activity: claim.snapshot.activityID)
    }
}

extension Parameter {
    /// The two arrays that `unnest` makes into keys again.
    static func keys(_ keys: some Collection<ClaimKey>) -> [Parameter] {
        [.int4s(keys.map(\.tenant.rawValue)), .texts(keys.map(\.activity.rawValue))]
    }
}
