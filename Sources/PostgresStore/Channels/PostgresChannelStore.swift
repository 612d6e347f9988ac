import Domain
import EventStore
import Postgres

struct PostgresChannelStore: ChannelStore {
    let tenantPool: TenantScopedPool
    let claims: DeliveryClaims
    private var pool: Pool { tenantPool.pool }

    /// Not behind the wall: who asks for a tenant may change only registrations there, and these
    /// statements can touch no other tenant.
    func want(
        _ tenant: TenantID, _ activity: ActivityID, _ app: AppInEnvironment,
        _ storage: Channel.Storage
    ) async throws(EventStoreError) -> (channel: Channel, isNew: Bool) {
        try await withStoreErrors { () async throws(PostgresError) in
            let names = Self.names(tenant, activity, app)
            for _ in 0..<Limits.cardAttemptsMax {
                if let row = try await pool.query(ChannelQueries.current, names).first {
                    return (try Channel(row), false)
                }
                let wanted = try await pool.query(
                    ChannelQueries.want, names + [.text(storage.rawValue)])
                if let row = wanted.first { return (try Channel(row), true) }
            }
            throw .timedOut
        }
    }

    func wantForFollowers(_ tenant: TenantID, _ activity: ActivityID, _ followers: Int)
        async throws(EventStoreError) -> Int
    {
        try await asked(
            try await pool.batch([
                TenantScopedPool.alongIndexes,
                Statement(
                    FollowerQueries.wantChannels,
                    [.tenant(tenant), .activity(activity), .count(followers)]),
            ])[1].count)
    }

    func find(_ tenant: TenantID, _ activity: ActivityID, _ bundleID: String)
        async throws(EventStoreError) -> [Channel]
    {
        try await tenantPool.rows(
            as: tenant, ChannelQueries.find,
            [.tenant(tenant), .activity(activity), .text(bundleID)], Channel.init)
    }

    func followers(_ tenant: TenantID, _ activity: ActivityID, _ app: AppInEnvironment)
        async throws(EventStoreError) -> ChannelFollowers
    {
        try await tenantPool.counted(
            as: tenant, FollowerQueries.count, Self.names(tenant, activity, app)
        ) { (row) throws(PostgresError) in
            ChannelFollowers(
                served: try row.get(0), moved: try row.get(1), listening: try row.get(2))
        }.first ?? ChannelFollowers()
    }

    func take(_ limit: Int, _ now: Moment?) async throws(EventStoreError) -> [ChannelTask] {
        try await pool.rows(ChannelQueries.take, [.moment(now), .count(limit)], ChannelTask.init)
    }

    func change(_ channel: Channel, _ change: ChannelChange, _ now: Moment?)
        async throws(EventStoreError) -> Bool
    {
        try await asked(
            try await !pool.batch([ChannelQueries.change(channel, change, now)])[0].isEmpty)
    }

    func record(_ claim: DeliveryClaim, _ sent: [SentBroadcast]) async throws(EventStoreError) {
        _ = try await asked(
            try await claims.write(ChannelQueries.record(sent, under: claim), under: claim))
    }

    func loseAll(
        _ app: TenantApp, openedBy time: Moment, _ wish: ChannelChange
    ) async throws(EventStoreError) {
        try await pool.run(
            ChannelQueries.loseAll,
            [
                .tenant(app.tenant), .text(app.app.bundleID), .text(app.app.environment.rawValue),
                .moment(time), .text(wish.state.rawValue), .int4(Int32(clamping: wish.attempts)),
                .moment(wish.retryAt), .text(wish.failure),
            ])
    }

    func all() async throws(EventStoreError) -> [Channel] {
        try await pool.rows(ChannelQueries.all, [], Channel.init)
    }

    func count(_ app: AppInEnvironment) async throws(EventStoreError) -> Int {
        try await pool.value(
            ChannelQueries.count, [.text(app.bundleID), .text(app.environment.rawValue)]) ?? 0
    }

    private static func names(
        _ tenant: TenantID, _ activity: ActivityID, _ app: AppInEnvironment
    ) -> [Parameter] {
        [
            .tenant(tenant), .activity(activity), .text(app.bundleID),
            .text(app.environment.rawValue),
        ]
    }
}
