import Domain
import EventStore
import Postgres

struct PostgresBoardStore: BoardStore {
    let tenantPool: TenantScopedPool

    func search(_ tenant: TenantID, _ idBeginning: String, _ wordBeginnings: [String])
        async throws(EventStoreError) -> (snapshots: [Snapshot], isPartial: Bool)
    {
        let snapshots = try await tenantPool.counted(
            as: tenant, BoardQueries.search,
            [
                .tenant(tenant), .text(idBeginning), .texts(wordBeginnings),
                .count(Limits.searchedActivitiesMax),
            ], Snapshot.init)
        return (snapshots, snapshots.count >= Limits.searchedActivitiesMax)
    }

    func progress(_ tenant: TenantID, _ activities: [ActivityID]) async throws(EventStoreError)
        -> [ActivityID: DeliveryProgress]
    {
        let progress = try await tenantPool.counted(
            as: tenant, BoardQueries.deliveryProgress,
            [.tenant(tenant), .texts(activities.map(\.rawValue))]
        ) { (row) throws(PostgresError) in
            (try row.activity(0), try DeliveryProgress(row, from: 1))
        }
        return Dictionary(progress, uniquingKeysWith: { $1 })
    }

    func phones(_ tenant: TenantID, _ activity: ActivityID, _ after: Int64?, _ limit: Int)
        async throws(EventStoreError) -> [PhoneRow]
    {
        try await withStoreErrors { () async throws(PostgresError) in
            let place: [Parameter] = [.tenant(tenant), .activity(activity)]
            let living = Statement(
                BoardQueries.living, place + [.int8(after ?? 0), .count(limit)])
            let gone = Statement(BoardQueries.gone, place)
            let results = try await tenantPool.count(
                as: tenant, after == nil ? [gone, living] : [living])
            var phones: [PhoneRow] = []
            for rows in results { phones += try rows.decoded(PhoneRow.init) }
            return phones
        }
    }

    func behind(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> [PhoneRow]
    {
        try await tenantPool.counted(
            as: tenant, BoardQueries.behind, [.tenant(tenant), .activity(activity)], PhoneRow.init)
    }

    func attention(_ tenant: TenantID, _ now: Moment) async throws(EventStoreError) -> Attention {
        try await withStoreErrors { () async throws(PostgresError) in
            let place: [Parameter] = [.tenant(tenant)]
            let results = try await tenantPool.count(
                as: tenant,
                [
                    Statement(BoardQueries.progress, place),
                    Statement(BoardQueries.blocked, place + [.count(Limits.attentionCountMax)]),
                    Statement(BoardQueries.late, place + [.moment(now)]),
                    Statement(AppQueries.deferredOf, place),
                    Statement(AppQueries.alarmsOf, place),
                    Statement(BoardQueries.beginnings, place),
                    Statement(BoardQueries.parked, place),
                ])
            var attention = Attention(freshness: try results[0].freshness())
            attention.unfoldedSince = try results[0].first?.optionalMoment(2)
            attention.blocked = try results[1].first?.get(0) ?? 0
            attention.late = try results[2].first?.get(0) ?? 0
            attention.deferred = try results[3].decoded(DeferredPhones.init)
            attention.alarms = try results[4].decoded(AppAlarm.init)
            if let row = results[5].first {
                attention.hasPhone = try row.bool(0)
                attention.hasPush = try row.bool(1)
            }
            attention.parked = try results[6].first?.get(0) ?? 0
            return attention
        }
    }
}

extension DeliveryProgress: RowDecodable {
    init(from row: inout RowReader) throws(PostgresError) {
        self.init()
        (phones, upToDate, waiting) = (try row.get(), try row.get(), try row.get())
        isPartial = phones >= Limits.progressPhonesMax
        goneBy = try row.optional()
        let heard: Int64 = try row.optional() ?? 0
        let heardAt = try row.optionalMoment()
        let carried: Int64 = try row.optional() ?? 0
        let carriedAt = try row.optionalMoment()
        let newest = max(heard, carried)
        acceptedVersion = newest > 0 ? newest : nil
        // The ledger has the time of what a fan-out brought, the phone that of any other push.
        acceptedAt = heard > carried ? heardAt : carriedAt
        channels = try row.optional() ?? 0
        guard let version: Int64 = try row.optional() else { return }
        said = Said(
            version: version, verdict: try row.choice(), rule: try row.get(),
            decidedAt: try row.moment(), title: try Decision.title(from: &row),
            isPending: try row.get())
    }
}
