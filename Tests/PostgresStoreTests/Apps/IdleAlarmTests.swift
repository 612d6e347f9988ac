import Domain
import EventStore
import PostgresStore
import StoreTestSupport
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2)))
struct `An alarm whose probe is due` {
    private let database: TestDatabase
    private let tenant: TenantID
    private let alarm: AppAlarm

    init() async throws {
        database = try await TestDatabase.make()
        tenant = try await database.store.tenants.ensure("acme").id
        let time = try await database.store.deliveries.time()
        alarm = AppAlarm(
            app: TenantApp(tenant: tenant, bundleID: "com.example", environment: .sandbox),
            suspension: .tokensUnfit, reason: "BadDeviceToken",
            since: time.adding(seconds: -900), probeAt: time.adding(seconds: -700))
        try await database.store.apps.raise(alarm)
    }

    /// - Returns: whether it went.
    private func clear() async throws -> Bool {
        let gone = try await database.store.apps.clearIdle([alarm])
        let left = try await database.store.apps.alarms()
        #expect(gone + left == [alarm])
        return !gone.isEmpty
    }

    @Test func `goes when nothing waits for its app`() async throws {
        // Of another environment, of another app, and one that is served.
        try await database.alter(
            """
            INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id,
                retry_at, last_failure)
            VALUES
                (\(tenant.rawValue), 'a', '1', 'production', 'com.example', now(), 'key-refused'),
                (\(tenant.rawValue), 'a', '2', 'sandbox', 'com.other', now(), 'key-refused'),
                (\(tenant.rawValue), 'a', '3', 'sandbox', 'com.example', NULL, NULL)
            """)
        #expect(try await clear())
    }

    @Test(arguments: [
        """
        INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id,
            retry_at, last_failure)
        SELECT id, 'a', '1', 'sandbox', 'com.example', now(), 'key-refused' FROM tenant
        """,
        """
        INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id,
            dead_at, is_unfit, is_proven)
        SELECT id, 'a', '1', 'sandbox', 'com.example', now(), true, true FROM tenant
        """,
        """
        INSERT INTO channel (tenant, activity_id, bundle_id, environment, storage, state,
            retry_at, last_failure, wanted_at)
        SELECT id, 'a', 'com.example', 'sandbox', 'none', 'wanted', now(), 'key-refused', now()
        FROM tenant
        """,
    ])
    func `stays while a phone or a channel waits, or a token may fit again`(
        waiting: String
    ) async throws {
        try await database.alter(waiting)
        #expect(try await !clear())
    }

    @Test func `stays when it was raised again meanwhile`() async throws {
        var again = alarm
        again.probeAt = alarm.probeAt.adding(seconds: 1_600)
        try await database.store.apps.raise(again)
        #expect(try await database.store.apps.clearIdle([alarm]).isEmpty)
        #expect(try await database.store.apps.alarms() == [again])
    }

    @Test func `counts as of an app that nobody has added if APNs refuses the topic`()
        async throws
    {
        let apps = database.store.apps
        func stopped() async throws -> [AppSuspension: Int] {
            try await database.store.lookAtFleet().stoppedApps
        }
        #expect(try await stopped() == [.tokensUnfit: 1])
        var refused = alarm
        (refused.suspension, refused.reason) = (.keyRefused, "TopicDisallowed")
        try await apps.raise(refused)
        #expect(try await stopped() == [.noApp: 1])
        refused.reason = "InvalidProviderToken"
        try await apps.raise(refused)
        #expect(try await stopped() == [.keyRefused: 1])
        let identity = AppKeyIdentity(
            tenant: tenant, bundleID: "com.example", teamID: "TEAM000001", keyID: "KEY0000001",
            scope: .both)
        _ = try await apps.add(NewAppKey(identity: identity, sealed: [1], masterKeyID: "m1"), .add)
        refused.reason = "TopicDisallowed"
        try await apps.raise(refused)
        #expect(try await stopped() == [.keyRefused: 1])
    }
}
