import Domain
import EventStore
import Postgres

struct PostgresAppStore: AppStore {
    let wall: TenantScopedPool
    private var pool: Pool { wall.pool }

    func keys() async throws(EventStoreError) -> [AppKeyRecord] {
        try await pool.rows(AppQueries.keys, [], AppKeyRecord.init)
    }

    func add(_ key: NewAppKey, _ intent: AppKeyRules.Intent) async throws(EventStoreError)
        -> AppKeyRules.Refusal?
    {
        try await storing { () async throws(PostgresError) in
            try await pool.withTransaction { (connection) async throws(PostgresError) in
                let bundle: [Parameter] = [.text(key.place.bundleID)]
                _ = try await connection.batch([.acting])
                _ = try await connection.query(AppQueries.lockBundle, bundle)
                let known = try await connection.query(AppQueries.keysOfBundle, bundle)
                    .decoded(AppKeyRecord.init)
                if let refusal = AppKeyRules.refusal(
                    adding: key.place, intent, to: known.map(\.place))
                {
                    return refusal
                }
                let app: [Parameter] = [.tenant(key.place.tenant), .text(key.place.bundleID)]
                let covered = APNsEnvironment.allCases.filter(key.place.scope.covers)
                _ = try await connection.batch(
                    [AppQueries.insert(key)]
                        + Self.forgetting(app, of: key.place.tenant, in: covered))
                return nil
            }
        }
    }

    func remove(_ tenant: TenantID, _ bundleID: String, _ keyID: String?)
        async throws(EventStoreError) -> Int
    {
        try await storing { () async throws(PostgresError) in
            let app: [Parameter] = [.tenant(tenant), .text(bundleID)]
            return try await pool.act(
                [Statement(AppQueries.remove, app + [.text(keyID)])]
                    + Self.forgetting(app, of: tenant, in: APNsEnvironment.allCases))[0].count
        }
    }

    func reseal(_ key: AppKeyRecord, _ sealed: [UInt8], _ masterKeyID: String)
        async throws(EventStoreError) -> Bool
    {
        try await asked(
            try await !pool.act(
                AppQueries.reseal,
                [.int8(key.id), .bytea(key.sealed), .bytea(sealed), .text(masterKeyID)]
            ).isEmpty)
    }

    func alarms() async throws(EventStoreError) -> [AppAlarm] {
        try await pool.rows(AppQueries.alarms, [], AppAlarm.init)
    }

    func raise(_ alarm: AppAlarm) async throws(EventStoreError) {
        _ = try await asked(try await pool.batch([AppQueries.raise(alarm)]))
    }

    func clear(_ app: TenantApp) async throws(EventStoreError) {
        try await change(app, [AppQueries.releaseProven, AppQueries.clear])
    }

    func deferred() async throws(EventStoreError) -> [DeferredPhones] {
        try await pool.rows(AppQueries.deferred, [], DeferredPhones.init)
    }

    func deferredBy(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> [DeferredPhones]
    {
        try await wall.counted(
            as: tenant, AppQueries.deferredBy, [.tenant(tenant), .activity(activity)],
            DeferredPhones.init)
    }

    func release(_ app: TenantApp) async throws(EventStoreError) {
        try await change(
            app,
            [AppQueries.releasePhones, AppQueries.releaseChannels, AppQueries.releaseStarts])
    }

    private func change(_ app: TenantApp, _ sql: [String]) async throws(EventStoreError) {
        let statements = sql.map { Statement($0, AppQueries.appParameters(app)) }
        _ = try await asked(
            try await pool.batch(statements + [.notify(.phonesWaiting(app.tenant))]))
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
}
