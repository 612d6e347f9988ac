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
                    return try await pool.batch(
                        [Statement(AppQueries.remove, app + [.text(keyID)])]
                            + forgetting(app, of: tenant, in: APNsEnvironment.allCases))[0].count
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
                    try await clear(app, pool)
                }
            },
            held: { () async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await pool.query(AppQueries.held).decoded(HeldPhones.init)
                }
            },
            heldBy: { (tenant, activity) async throws(EventStoreError) in
                try await storing { () async throws(PostgresError) in
                    try await wall.count(
                        as: tenant,
                        [Statement(AppQueries.heldBy, [.tenant(tenant), .activity(activity)])]
                    )[0].decoded(HeldPhones.init)
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
            let app: [Parameter] = [.tenant(key.place.tenant), .text(key.place.bundleID)]
            let covered = APNsEnvironment.allCases.filter(key.place.scope.covers)
            for statement in forgetting(app, of: key.place.tenant, in: covered) {
                _ = try await connection.query(statement.sql, statement.parameters)
            }
            return nil
        }
    }

    /// What APNs said of the app's keys so far says nothing of those that it has now.
    private static func forgetting(
        _ app: [Parameter], of tenant: TenantID, in environments: [APNsEnvironment]
    ) -> [Statement] {
        [
            Statement(AppQueries.clearAll, app),
            Statement(
                AppQueries.releaseAllUnfit, app + [.texts(environments.map(\.rawValue))]),
            .notify(.phonesWaiting(tenant)),
        ]
    }

    private static func clear(_ app: TenantApp, _ pool: Pool) async throws(PostgresError) {
        let parameters = AppQueries.appParameters(app)
        _ = try await pool.batch([
            Statement(AppQueries.releaseProven, parameters),
            Statement(AppQueries.clear, parameters),
            .notify(.phonesWaiting(app.tenant)),
        ])
    }

    private static func release(_ app: TenantApp, _ pool: Pool) async throws(PostgresError) {
        let parameters = AppQueries.appParameters(app)
        _ = try await pool.batch([
            Statement(AppQueries.releasePhones, parameters),
            Statement(AppQueries.releaseChannels, parameters),
            Statement(AppQueries.releaseStarts, parameters),
            .notify(.phonesWaiting(app.tenant)),
        ])
    }
}
