import Domain
import EventStore
import Postgres

struct PostgresAppStore: AppStore {
    let tenantPool: TenantScopedPool
    private var pool: Pool { tenantPool.pool }

    func keys() async throws(EventStoreError) -> [AppKeyRecord] {
        try await pool.rows(AppQueries.keys, [], AppKeyRecord.init)
    }

    func add(_ key: NewAppKey, _ intent: AppKeyRules.Intent) async throws(EventStoreError)
        -> AppKeyRules.Refusal?
    {
        try await withStoreErrors { () async throws(PostgresError) in
            try await pool.withTransaction { (connection) async throws(PostgresError) in
                let bundle: [Parameter] = [.text(key.identity.bundleID)]
                let known = try await connection.batch([
                    .acting, Statement(AppQueries.lockBundle, bundle),
                    Statement(AppQueries.keysOfBundle, bundle),
                ])[2].decoded(AppKeyRecord.init)
                if let refusal = AppKeyRules.refusal(
                    adding: key.identity, intent, to: known.map(\.identity))
                {
                    return refusal
                }
                let app: [Parameter] = [.tenant(key.identity.tenant), .text(key.identity.bundleID)]
                let covered = APNsEnvironment.allCases.filter(key.identity.scope.covers)
                _ = try await connection.batch([AppQueries.insert(key)])
                try await Self.forget(app, of: key.identity.tenant, in: covered, connection)
                return nil
            }
        }
    }

    func remove(_ tenant: TenantID, _ bundleID: String, _ keyID: String?)
        async throws(EventStoreError) -> Int
    {
        try await withStoreErrors { () async throws(PostgresError) in
            try await pool.withTransaction { (connection) async throws(PostgresError) in
                let app: [Parameter] = [.tenant(tenant), .text(bundleID)]
                let removed = try await connection.batch(
                    [.acting, Statement(AppQueries.remove, app + [.text(keyID)])])[1].count
                try await Self.forget(app, of: tenant, in: APNsEnvironment.allCases, connection)
                return removed
            }
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
        try await withStoreErrors { () async throws(PostgresError) in
            try await release(app, AppQueries.releaseProven)
            _ = try await pool.batch([
                Statement(AppQueries.clear, AppQueries.appParameters(app)),
                .notify(.phonesWaiting, app.tenant),
            ])
        }
    }

    func clearIdle(_ alarms: [AppAlarm]) async throws(EventStoreError) -> [AppAlarm] {
        let removed = try await asked(
            try await pool.batch(
                alarms.map {
                    Statement(
                        AppQueries.clearIdle,
                        AppQueries.appParameters($0.app) + [.moment($0.probeAt)])
                }))
        return zip(alarms, removed).compactMap { $1.isEmpty ? nil : $0 }
    }

    func deferred() async throws(EventStoreError) -> [DeferredPhones] {
        try await pool.rows(AppQueries.deferred, [], DeferredPhones.init)
    }

    func deferredBy(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> [DeferredPhones]
    {
        try await tenantPool.counted(
            as: tenant, AppQueries.deferredBy, [.tenant(tenant), .activity(activity)],
            DeferredPhones.init)
    }

    func release(_ app: TenantApp) async throws(EventStoreError) {
        // The rest is found waiting by the next look. Another node may keep as many at the
        // same time, such as one whose clock is wrong.
        let most = Limits.releaseStepsMax
        try await withStoreErrors { () async throws(PostgresError) in
            try await release(app, AppQueries.releasePhones, atMost: most)
            try await release(app, AppQueries.releaseChannels)
            try await release(app, AppQueries.releaseStarts, atMost: most)
            _ = try await pool.batch([.notify(.phonesWaiting, app.tenant)])
        }
    }

    private func release(
        _ app: TenantApp, _ step: String, atMost steps: Int = .max
    ) async throws(PostgresError) {
        try await Self.repeated(atMost: steps) { () async throws(PostgresError) in
            try await pool.query(step, AppQueries.appParameters(app))
        }
    }

    /// What APNs said of the app's keys so far says nothing of those that it has now.
    private static func forget(
        _ app: [Parameter], of tenant: TenantID, in environments: [APNsEnvironment],
        _ connection: Connection
    ) async throws(PostgresError) {
        _ = try await connection.query(AppQueries.clearAll, app)
        let environments = Parameter.texts(environments.map(\.rawValue))
        try await repeated { () async throws(PostgresError) in
            try await connection.query(AppQueries.releaseAllUnfit, app + [environments])
        }
        _ = try await connection.batch([.notify(.phonesWaiting, tenant)])
    }

    /// Until a step finds fewer rows than it may change. Each has a deadline of its own.
    private static func repeated(
        atMost steps: Int = .max, _ step: () async throws(PostgresError) -> Rows
    ) async throws(PostgresError) {
        for _ in 0..<steps {
            let found = try await step().first?.get(0, as: Int.self) ?? 0
            if found < Limits.rowsReleasedAtOnce { return }
        }
    }
}
