import Domain
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// Two tenants with something in every table, and one connection on which walls are tried.
struct TwoTenants {
    let database: TestDatabase
    let pool: Pool
    let visitors: Pool
    let tenantPool: TenantScopedPool
    let mine: TenantID
    let theirs: TenantID

    static let activity = ActivityID(rawValue: "order-1")

    /// - Parameter given: a database of such a user; otherwise one is made.
    static func make(
        _ user: DatabaseUser, in given: TestDatabase? = nil
    ) async throws -> TwoTenants {
        let database = if let given { given } else { try await user.database() }
        let store = database.store
        var tenants: [TenantID] = []
        for name in ["mine", "theirs"] {
            let tenant = try await store.tenants.ensure(name).id
            tenants.append(tenant)
            let digit = "\(tenants.count)"
            _ = try await store.log.append(
                tenant, [Samples.event("1", data: #"{"of": "\#(name)"}"#), Samples.event("2")])
            try await Samples.foldAll(store)
            _ = try await store.registrations.register(
                tenant, activity, Samples.token(digit), .sandbox, "com.example")
            try await store.tenants.addKey(
                tenant, [UInt8](repeating: UInt8(tenants.count), count: 32), [.admin])
            try await store.tenants.setLimits(tenant, TenantLimits(requestsPerSecond: 1))
            for table in ["log_dropped (tenant, events, activities)", "removed_tenant (tenant)"] {
                let values = table.hasPrefix("log") ? "$1, 0, 0" : "$1"
                _ = try await database.pool.query(
                    "INSERT INTO \(table) VALUES (\(values))", [.int4(tenant.rawValue)])
            }
            _ = try await store.tickets.ensure(tenant, [UInt8](repeating: 1, count: 32))
            _ = try await store.policies.put(tenant, "Sample", nil, Data("{}".utf8))
            _ = try await store.rebuilds.begin(tenant, "test", [:])
            try await putStarts(store, tenant)
            let app = AppInEnvironment(bundleID: "com.example", environment: .sandbox)
            _ = try await store.channels.want(tenant, activity, app, .none)
            try await putApps(store, tenant)
            try await putWebhook(store, tenant, in: database)
            _ = try await store.registrations.change(
                tenant, activity, .listen(installation: "phone", with: app),
                { _, _ in CardChange(.listening, listener: CardState(installation: "phone")) })
            _ = try await database.pool.query(
                """
                INSERT INTO parked_event (tenant, position, activity_id, reason)
                VALUES ($1, 9, 'a', 'r')
                """, [.tenant(tenant)])
            _ = try await database.pool.query(
                "INSERT INTO activity_notice (tenant, activity_id, position) VALUES ($1, 'a', 9)",
                [.tenant(tenant)])
            _ = try await database.pool.query(
                "INSERT INTO tenant_usage (tenant, position, bytes) VALUES ($1, 1, 1)",
                [.tenant(tenant)])
            try await putMove(tenant, in: database)
        }
        let claims = try await store.deliveries.claimNext(10, .all, Samples.time)
        #expect(claims.count == 2)
        for claim in claims { await store.deliveries.release(claim) }
        let pool = database.makePool(connectionsMax: 1)
        let visitors = user == .served ? database.makeVisitors(connectionsMax: 1) : pool
        return TwoTenants(
            database: database, pool: pool, visitors: visitors,
            tenantPool: TenantScopedPool(pool: pool, visitors: visitors), mine: tenants[0],
            theirs: tenants[1])
    }

    /// For an activity that is unknown yet, so that no claim is for it.
    private static func putStarts(_ store: EventStore, _ tenant: TenantID) async throws {
        let topics = [try #require(AudienceTopic(rawValue: "customer:42"))]
        _ = try await store.startTokens.putAudience(
            tenant, ActivityID(rawValue: "order-2"), topics, nil)
        _ = try await store.startTokens.putToken(
            tenant,
            StartWish(
                installation: "phone", kind: "Sample", token: Samples.token("3"),
                environment: .sandbox, bundleID: "com.example", topics: topics))
    }

    private static func putApps(_ store: EventStore, _ tenant: TenantID) async throws {
        let identity = AppKeyIdentity(
            tenant: tenant, bundleID: "com.example", teamID: "TEAM000001", keyID: "KEY0000001",
            scope: .both)
        _ = try await store.apps.add(
            NewAppKey(identity: identity, sealed: [1], masterKeyID: "m1"), .add)
        let app = TenantApp(tenant: tenant, bundleID: "com.example", environment: .sandbox)
        try await store.apps.raise(
            AppAlarm(
                app: app, suspension: .keyRefused, reason: "InvalidProviderToken",
                since: Samples.time,
                probeAt: Samples.time))
    }

    /// As of one that is coming back.
    private static func putMove(_ tenant: TenantID, in database: TestDatabase) async throws {
        for sql in [
            "INSERT INTO cell (name) VALUES ('eu2') ON CONFLICT DO NOTHING",
            """
            INSERT INTO tenant_move (tenant, name, move, state, cell)
            VALUES (\(tenant.rawValue), 'n', 'm', 'arriving', 'eu2')
            """,
            "INSERT INTO moved_row (tenant, relname, key) VALUES (\(tenant.rawValue), 't', '{}')",
            "INSERT INTO staged_row VALUES (\(tenant.rawValue), 't', '{}', '')",
            """
            INSERT INTO departed_tenant (tenant, name, cell)
            VALUES (\(tenant.rawValue), 'n', 'eu2')
            """,
            """
            INSERT INTO departed_key VALUES
                (\(tenant.rawValue), sha256('\(tenant.rawValue)'::bytea))
            """,
        ] {
            _ = try await database.pool.query(sql)
        }
    }

    /// With a message that did not arrive.
    private static func putWebhook(
        _ store: EventStore, _ tenant: TenantID, in database: TestDatabase
    ) async throws {
        let webhook = Webhook(
            tenant: tenant, id: "wh_1", url: "https://shop.example", createdAt: Samples.time)
        _ = try await store.webhooks.add(
            webhook,
            WebhookSecret(tenant: tenant, webhookID: "wh_1", sealed: [1], masterKeyID: "m1"))
        _ = try await database.pool.query(
            """
            INSERT INTO webhook_message (
                tenant, webhook_id, activity_id, after_version, version, attempts,
                first_tried_at, tried_at, retry_at, last_failure
            ) VALUES ($1, 'wh_1', 'a', 0, 1, 1, now(), now(), now(), 'status 500')
            """, [.tenant(tenant)])
        _ = try await database.pool.query(
            "INSERT INTO log_epoch_kept (tenant, epoch, position) VALUES ($1, 2, 1)",
            [.tenant(tenant)])
        _ = try await store.erasure.keys(
            tenant, [ActivityID(rawValue: "order-1")], isMaking: true)
        let hash = (0..<32).map { UInt8(tenant.rawValue) &+ $0 }
        let keyID = try #require(
            try await store.tenants.createKey(
                NewAPIKey(tenant: tenant, sha256: hash, scopes: [.activitiesRead])))
        try await store.signIns.open(tenant, keyID, hash.reversed(), Samples.time)
        try await store.series.add([
            SeriesRow(
                tenant: tenant, minute: Samples.time, counts: SeriesCounts(["events": 1]))
        ])
        try await store.retention.note(
            LogArchive(after: 0, through: 1, place: "/archive", chain: "c"), of: tenant)
    }

    /// Rows that a question about the other tenant's gives; nil when it may not even be asked.
    func rowsOfTheirs(_ sql: String, _ parameters: [Parameter] = []) async throws -> Int? {
        do throws(PostgresError) {
            return try await tenantPool.query(as: mine, sql, parameters).count
        } catch {
            guard error.sqlState == "42501" else { throw error }
            return nil
        }
    }
}
