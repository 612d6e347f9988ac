import Domain
import Postgres

extension ChannelStore {
    static func postgres(_ wall: TenantWall, claims: DeliveryClaims) -> ChannelStore {
        let pool = wall.pool
        return ChannelStore(
            want: { (tenant, activity, app, storage) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await want(tenant, activity, app, storage, pool)
                }
            },
            wantForFollowers: { (tenant, activity, followers) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await pool.query(
                        FollowerQueries.wantChannels,
                        [.tenant(tenant), .activity(activity), .count(followers)]
                    ).count
                }
            },
            find: { (tenant, activity, bundleID) async throws(EventStoreError) in
                try await find(tenant, activity, bundleID, wall)
            },
            followers: { (tenant, activity, app) async throws(EventStoreError) in
                try await followers(tenant, activity, app, wall)
            },
            take: { (limit, now) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await pool.query(
                        ChannelQueries.take, [.moment(now), .count(limit)]
                    ).decoded(ChannelTask.init)
                }
            },
            change: { (channel, change, now) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    let statement = ChannelQueries.change(channel, change, now)
                    return try await !pool.query(statement.sql, statement.parameters).isEmpty
                }
            },
            record: { (claim, sent) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await claims.write(
                        ChannelQueries.record(sent, under: claim), under: claim)
                }
            },
            all: { () async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await pool.query(ChannelQueries.all).decoded(Channel.init)
                }
            },
            count: { (app) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await pool.query(
                        ChannelQueries.count,
                        [.text(app.bundleID), .text(app.environment.rawValue)]
                    ).first?.get(0) ?? 0
                }
            })
    }

    private static func find(
        _ tenant: TenantID, _ activity: ActivityID, _ bundleID: String, _ wall: TenantWall
    ) async throws(EventStoreError) -> [Channel] {
        try await storing { () async throws(PostgresError) in
            try await wall.query(
                as: tenant, ChannelQueries.find,
                [.tenant(tenant), .activity(activity), .text(bundleID)]
            ).decoded(Channel.init)
        }
    }

    private static func followers(
        _ tenant: TenantID, _ activity: ActivityID, _ app: ChannelApp, _ wall: TenantWall
    ) async throws(EventStoreError) -> Followers {
        try await storing { () async throws(PostgresError) in
            let row = try await wall.query(
                as: tenant, FollowerQueries.count, names(tenant, activity, app)
            ).first
            guard let row else { return Followers() }
            return Followers(
                served: try row.get(0), moved: try row.get(1), listening: try row.get(2))
        }
    }

    private static func names(
        _ tenant: TenantID, _ activity: ActivityID, _ app: ChannelApp
    ) -> [Parameter] {
        [
            .tenant(tenant), .activity(activity), .text(app.bundleID),
            .text(app.environment.rawValue),
        ]
    }

    /// Not behind the wall: who asks for a tenant may change only registrations there, and these
    /// statements can touch no other tenant.
    private static func want(
        _ tenant: TenantID, _ activity: ActivityID, _ app: ChannelApp,
        _ storage: Channel.Storage, _ pool: Pool
    ) async throws(PostgresError) -> (channel: Channel, isNew: Bool) {
        let names = names(tenant, activity, app)
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
