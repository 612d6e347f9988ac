import Domain
import Postgres

extension AppStore {
    static func postgres(_ wall: TenantWall) -> AppStore {
        let pool = wall.pool
        return AppStore(
            keys: { () async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await pool.query(AppQueries.keys).decoded(AppKeyRecord.init)
                }
            },
            add: { (key, intent) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await add(key, intent, pool)
                }
            },
            remove: { (tenant, bundleID, keyID) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    let app: [Parameter] = [.tenant(tenant), .text(bundleID)]
                    return try await pool.batch([
                        Statement(AppQueries.remove, app + [.text(keyID)]),
                        Statement(AppQueries.clearAll, app),
                    ])[0].count
                }
            },
            reseal: { (key, sealed, masterKeyID) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await !pool.query(
                        AppQueries.reseal,
                        [.int8(key.id), .bytea(key.sealed), .bytea(sealed), .text(masterKeyID)]
                    ).isEmpty
                }
            },
            alarms: { () async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await pool.query(AppQueries.alarms).decoded(AppAlarm.init)
                }
            },
            raise: { (alarm) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    let statement = AppQueries.raise(alarm)
                    _ = try await pool.query(statement.sql, statement.parameters)
                }
            },
            clear: { (app) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    _ = try await pool.query(AppQueries.clear, AppQueries.appParameters(app))
                }
            },
            held: { () async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await pool.query(AppQueries.held).decoded(HeldPhones.init)
                }
            },
            heldBy: { (tenant, activity) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await wall.query(
                        as: tenant, AppQueries.heldBy, [.tenant(tenant), .activity(activity)]
                    ).decoded(HeldPhones.init)
                }
            },
            release: { (app) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await release(app, pool)
                }
            })
    }

    private static func add(
        _ key: NewAppKey, _ intent: AppKeyRules.Intent, _ pool: Pool
    ) async throws(PostgresError) -> AppKeyRules.Refusal? {
        try await pool.withTransaction { (connection) async throws(PostgresError) in
            let bundle: [Parameter] = [.text(key.place.bundleID)]
            _ = try await connection.query(AppQueries.lockBundle, bundle)
            let known = try await connection.query(AppQueries.keysOfBundle, bundle)
                .decoded(AppKeyRecord.init)
            if let refusal = AppKeyRules.refusal(
                adding: key.place, intent, to: known.map(\.place))
            {
                return refusal
            }
            let statement = AppQueries.insert(key)
            _ = try await connection.query(statement.sql, statement.parameters)
            // What APNs said of the keys so far says nothing of this one.
            _ = try await connection.query(
                AppQueries.clearAll, [.tenant(key.place.tenant), .text(key.place.bundleID)])
            return nil
        }
    }

    private static func release(_ app: TenantApp, _ pool: Pool) async throws(PostgresError) {
        let parameters = AppQueries.appParameters(app)
        _ = try await pool.batch([
            Statement(AppQueries.releasePhones, parameters),
            Statement(AppQueries.releaseChannels, parameters),
            .notify(.phonesWaiting(app.tenant)),
        ])
    }
}
