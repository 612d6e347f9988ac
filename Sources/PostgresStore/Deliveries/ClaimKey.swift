import Domain
import EventStore
import Postgres

/// What a claim is a claim on.
struct ClaimKey: Hashable, Sendable {
    var tenant: TenantID
    var activity: ActivityID
}

extension ClaimKey: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        try self.init(tenant: row.tenant(), activity: row.activity())
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
