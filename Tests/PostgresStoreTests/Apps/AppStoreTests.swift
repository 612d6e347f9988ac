import Domain
import EventStore
import Postgres
import PostgresStore
import TestSupport
import Testing

private let bundle = "com.example"
private let sandbox = AppInEnvironment(bundleID: bundle, environment: .sandbox)

private func key(
    _ tenant: TenantID, _ keyID: String = "KEY0000001", team: String = "TEAM000001",
    bundle: String = bundle, _ scope: AppKeyScope = .both
) -> NewAppKey {
    NewAppKey(
        identity: AppKeyIdentity(
            tenant: tenant, bundleID: bundle, teamID: team, keyID: keyID, scope: scope),
        sealed: Array(keyID.utf8), masterKeyID: "m1")
}

@Suite(.timeLimit(.minutes(2)))
struct `Phones that wait for an app` {
    /// Every node asks every few seconds.
    @Test func `are counted to ten thousand of each tenant`() async throws {
        let database = try await TestDatabase.make()
        let store = database.store
        let many = try await store.tenants.ensure("many").id
        let few = try await store.tenants.ensure("few").id
        for (tenant, count) in [(many, 10_500), (few, 3)] {
            _ = try await database.pool.query(
                """
                INSERT INTO registration (
                    tenant, activity_id, push_token, environment, bundle_id, retry_at, last_failure
                ) SELECT \(tenant.rawValue), 'order-1', 'token-' || n, 'sandbox', '\(bundle)',
                    now(), 'no-app'
                FROM generate_series(1, \(count)) n
                """)
        }
        let waiting = try await store.apps.deferred()
        #expect(waiting.map(\.app.tenant) == [many, few])
        #expect(waiting.map(\.count) == [10_000, 3])
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `The keys of an app` {
    @Test func `are kept by tenant, told to every node, and the newest is in use`() async throws {
        let database = try await TestDatabase.make()
        let store = database.store
        let tenant = try await store.tenants.ensure("acme").id
        let other = try await store.tenants.ensure("other").id
        let node = EventStore.postgres(pool: database.makePool())
        var notifications = node.notifications(about: [.appsChanged]).makeAsyncIterator()
        #expect(await notifications.next() == .resumed)
        #expect(try await store.apps.add(key(tenant), .add) == nil)
        #expect(await notifications.next() == .happened(.appsChanged, tenant))
        // Two tenants may have one app.
        #expect(try await store.apps.add(key(other), .add) == nil)
        #expect(await notifications.next() == .happened(.appsChanged, other))
        #expect(try await store.apps.add(key(tenant, "KEY0000002"), .rotate) == nil)
        let keys = try await store.apps.keys()
        #expect(keys.map(\.identity.keyID) == ["KEY0000001", "KEY0000001", "KEY0000002"])
        #expect(keys.map(\.identity.tenant) == [tenant, other, tenant])
        #expect(keys.map(\.masterKeyID) == ["m1", "m1", "m1"])
        #expect(keys[2].sealed == Array("KEY0000002".utf8))
        func inUse(_ tenant: TenantID) -> String? {
            keys.inUse(for: tenant, bundle, .production)?.identity.keyID
        }
        #expect(inUse(tenant) == "KEY0000002")
        #expect(inUse(other) == "KEY0000001")
        #expect(keys.inUse(for: tenant, "com.another", .production) == nil)
        #expect(try await store.apps.remove(tenant, bundle, "KEY0000002") == 1)
        #expect(try await store.apps.remove(tenant, bundle, "KEY0000002") == 0)
        #expect(try await store.apps.remove(tenant, bundle, nil) == 1)
        #expect(try await store.apps.keys().map(\.identity.tenant) == [other])
    }

    @Test func `of one environment leave the other to another`() async throws {
        let database = try await TestDatabase.make()
        let apps = database.store.apps
        let tenant = try await database.store.tenants.ensure("acme").id
        #expect(try await apps.add(key(tenant, "KEY0000001", .sandbox), .add) == nil)
        let keys = try await apps.keys()
        #expect(keys.inUse(for: tenant, bundle, .production) == nil)
        #expect(try await apps.add(key(tenant, "KEY0000002", .production), .add) == nil)
        let both = try await apps.keys()
        #expect(both.inUse(for: tenant, bundle, .sandbox)?.identity.keyID == "KEY0000001")
        #expect(both.inUse(for: tenant, bundle, .production)?.identity.keyID == "KEY0000002")
    }

    @Test func `are refused when they contradict what is there`() async throws {
        let database = try await TestDatabase.make()
        let apps = database.store.apps
        let tenant = try await database.store.tenants.ensure("acme").id
        let other = try await database.store.tenants.ensure("other").id
        #expect(try await apps.add(key(tenant), .rotate) == .nothingToRotate)
        #expect(try await apps.add(key(tenant), .add) == nil)
        #expect(try await apps.add(key(tenant), .rotate) == .alreadyThere)
        #expect(
            try await apps.add(key(tenant, "KEY0000002", .sandbox), .add)
                == .covered(keyID: "KEY0000001", .both))
        // A bundle id has one team, whichever tenant has it.
        #expect(
            try await apps.add(key(other, team: "TEAM000002"), .add) == .otherTeam("TEAM000001"))
        #expect(try await apps.add(key(tenant, "KEY0000002"), .rotate) == nil)
        #expect(
            try await apps.add(key(tenant, "KEY0000003"), .rotate)
                == .twoAlready(oldest: "KEY0000001"))
        #expect(try await apps.keys().count == 2)
    }

    @Test func `added by many at once are one`() async throws {
        let database = try await TestDatabase.make()
        let apps = database.store.apps
        let tenant = try await database.store.tenants.ensure("acme").id
        let refusals = try await withThrowingTaskGroup(of: AppKeyRules.Refusal?.self) { group in
            for number in 1...4 {
                group.addTask { try await apps.add(key(tenant, "KEY000000\(number)"), .add) }
            }
            var refusals: [AppKeyRules.Refusal?] = []
            for try await refusal in group { refusals.append(refusal) }
            return refusals
        }
        let added = refusals.count { $0 == nil }
        #expect(added == 1)
        #expect(try await apps.keys().count == 1)
    }

    @Test func `are sealed again unless somebody was quicker`() async throws {
        let database = try await TestDatabase.make()
        let apps = database.store.apps
        let tenant = try await database.store.tenants.ensure("acme").id
        _ = try await apps.add(key(tenant), .add)
        let record = try #require(try await apps.keys().first)
        #expect(try await apps.reseal(record, [1], "m2"))
        #expect(try await !apps.reseal(record, [2], "m3"))
        let now = try #require(try await apps.keys().first)
        #expect(now.sealed == [1])
        #expect(now.masterKeyID == "m2")
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `What waits for an app` {
    @Test func `is counted, and due at once when it is released`() async throws {
        let scene = try await DeliveryScene()
        let app = TenantApp(tenant: scene.tenant, app: sandbox)
        let (first, second) = (try await scene.register("a"), try await scene.register("b"))
        let claim = try #require(try await scene.claim().first)
        let later = scene.now.adding(seconds: 300)
        try await scene.store.deliveries.record(
            claim,
            [
                scene.result(first, .retry(at: later, reason: AppSuspension.noApp.rawValue)),
                scene.result(second, .retry(at: later, reason: "ServiceUnavailable")),
            ])
        try await scene.store.deliveries.complete(claim, scene.outcome(1))
        let deferred = [DeferredPhones(app: app, suspension: .noApp, count: 1)]
        #expect(try await scene.store.apps.deferred() == deferred)
        #expect(try await scene.store.apps.deferredBy(scene.tenant, scene.activity) == deferred)
        let overview = try await scene.store.reads.overview(
            scene.tenant, Moment(unixSeconds: 0), scene.now)
        #expect(overview.deferred == deferred)
        #expect(try await scene.claim(after: 10).isEmpty)
        let production = TenantApp(
            tenant: scene.tenant, bundleID: bundle, environment: .production)
        try await scene.store.apps.release(production)
        #expect(try await scene.store.apps.deferred() == deferred)
        #expect(try await scene.claim(after: 10).isEmpty)
        var notifications = scene.store.notifications(about: [.phonesWaiting]).makeAsyncIterator()
        #expect(await notifications.next() == .resumed)
        try await scene.store.apps.release(app)
        #expect(await notifications.next() == .happened(.phonesWaiting, scene.tenant))
        #expect(try await scene.store.apps.deferred() == [])
        let again = try #require(try await scene.claim(after: 10).first)
        let page = try await scene.store.deliveries.page(
            again, true, scene.now.adding(seconds: 10), 0, 10)
        #expect(page.map(\.id) == [first])
    }

    @Test func `is tried as if it had failed once when it is released`() async throws {
        let scene = try await DeliveryScene()
        let pool = scene.database.pool
        _ = try await scene.register("a")
        _ = try await pool.query(
            """
            UPDATE registration SET retry_at = '2200-01-01', last_failure = 'no-key', attempts = 99
            """)
        _ = try await pool.query(
            """
            INSERT INTO channel (
                tenant, activity_id, bundle_id, environment, storage, state, channel_id, attempts,
                retry_at, last_failure, wanted_at
            )
            SELECT tenant, activity_id, bundle_id, environment, 'none', 'open', 'abc=', 9,
                retry_at, last_failure, now()
            FROM registration
            """)
        try await scene.store.apps.release(TenantApp(tenant: scene.tenant, app: sandbox))
        let claim = try #require(try await scene.claim().first)
        let page = try await scene.store.deliveries.page(claim, true, scene.now, 0, 10)
        #expect(page.map(\.attempts) == [1])
        #expect(claim.channels.map(\.attempts) == [1])
    }

    /// One statement for all of them would be cancelled after a while, with nothing done.
    @Test func `is released in steps, however much it is`() async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme").id
        let session = try await database.pool.openDedicated()
        try await session.script(
            """
            INSERT INTO registration (
                tenant, activity_id, push_token, environment, bundle_id, retry_at, last_failure,
                dead_at, is_unfit
            ) SELECT \(tenant.rawValue), 'order-1', 'token-' || n, 'sandbox', '\(bundle)',
                CASE WHEN n <= 4500 THEN now() END, CASE WHEN n <= 4500 THEN 'no-app' END,
                CASE WHEN n > 4500 THEN now() END, n > 4500
            FROM generate_series(1, 9000) n;
            CREATE FUNCTION refuse_many() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
                IF (SELECT count(*) FROM changed) > 2000 THEN RAISE 'too many at once'; END IF;
                RETURN NULL;
            END $$;
            CREATE TRIGGER refuse_many AFTER UPDATE ON registration
                REFERENCING NEW TABLE AS changed FOR EACH STATEMENT
                EXECUTE FUNCTION refuse_many();
            """)
        await session.close()
        func due() async throws -> Int? {
            try await database.pool.query(
                "SELECT count(*) FROM registration WHERE retry_at = 'epoch'"
            ).first?.get(0, as: Int.self)
        }
        try await database.store.apps.release(TenantApp(tenant: tenant, app: sandbox))
        #expect(try await due() == 4_500)
        #expect(try await database.store.apps.add(key(tenant), .add) == nil)
        #expect(try await due() == 9_000)
    }

    @Test func `has an alarm that keeps its beginning, until it is cleared or a key comes`()
        async throws
    {
        let scene = try await DeliveryScene()
        let apps = scene.store.apps
        let app = TenantApp(tenant: scene.tenant, app: sandbox)
        func alarm(_ minutes: Double) -> AppAlarm {
            AppAlarm(
                app: app, suspension: .keyRefused, reason: "InvalidProviderToken",
                since: scene.now.adding(seconds: 60 * minutes),
                probeAt: scene.now.adding(seconds: 60 * minutes + 30))
        }
        try await apps.raise(alarm(0))
        try await apps.raise(alarm(5))
        var expected = alarm(5)
        expected.since = scene.now
        #expect(try await apps.alarms() == [expected])
        let overview = try await scene.store.reads.overview(
            scene.tenant, Moment(unixSeconds: 0), scene.now)
        #expect(overview.alarms == [expected])
        try await apps.clear(app)
        #expect(try await apps.alarms().isEmpty)
        try await apps.raise(alarm(0))
        _ = try await apps.add(key(scene.tenant), .add)
        #expect(try await apps.alarms().isEmpty)
        try await apps.raise(alarm(0))
        _ = try await apps.remove(scene.tenant, bundle, nil)
        #expect(try await apps.alarms().isEmpty)
    }

    @Test func `is tried again when the app has another key for where its token was unfit`()
        async throws
    {
        let scene = try await DeliveryScene()
        let (first, second) = (try await scene.register("a"), try await scene.register("b"))
        let claim = try #require(try await scene.claim().first)
        try await scene.store.deliveries.record(
            claim,
            [
                scene.result(first, .unfit(reason: "BadDeviceToken")),
                scene.result(second, .accepted(version: 1)),
            ])
        try await scene.store.deliveries.complete(claim, scene.outcome(1))
        let count = scene.store.phoneCount
        #expect(try await count(scene.tenant, scene.activity) == 1)
        let apps = scene.store.apps
        #expect(try await apps.add(key(scene.tenant, "KEY0000001", .production), .add) == nil)
        #expect(try await scene.claim(after: 10).isEmpty)
        var notifications = scene.store.notifications(about: [.phonesWaiting]).makeAsyncIterator()
        #expect(await notifications.next() == .resumed)
        #expect(try await apps.add(key(scene.tenant, "KEY0000002", .sandbox), .add) == nil)
        #expect(await notifications.next() == .happened(.phonesWaiting, scene.tenant))
        #expect(try await count(scene.tenant, scene.activity) == 2)
        let again = try #require(try await scene.claim(after: 10).first)
        let page = try await scene.store.deliveries.page(
            again, true, scene.now.adding(seconds: 10), 0, 10)
        #expect(page.map(\.id) == [first])
        #expect(page.map(\.isProven) == [false])
        #expect(page.map(\.attempts) == [1])
    }

    @Test func `is tried again when the app goes on, if APNs had accepted its unfit token`()
        async throws
    {
        let scene = try await DeliveryScene()
        let app = TenantApp(tenant: scene.tenant, app: sandbox)
        var ids: [Int64] = []
        for digit in ["a", "b", "c"] { ids.append(try await scene.register(digit)) }
        let before = try #require(try await scene.claim().first)
        try await scene.store.deliveries.record(
            before,
            [
                scene.result(ids[0], .accepted(version: 1)),
                scene.result(ids[1], .retry(at: scene.now, reason: "ServiceUnavailable")),
                scene.result(ids[2], .accepted(version: 1)),
            ])
        try await scene.store.deliveries.complete(before, scene.outcome(1))
        try await scene.change(.timely)
        let claim = try #require(try await scene.claim(after: 2).first)
        let page = try await scene.store.deliveries.page(
            claim, false, scene.now.adding(seconds: 2), 0, 10)
        #expect(page.map(\.isProven) == [true, false, true])
        try await scene.store.deliveries.record(
            claim,
            ids[0...1].map { scene.result($0, .unfit(reason: "BadDeviceToken")) }
                + [scene.result(ids[2], .accepted(version: 2))])
        try await scene.store.deliveries.complete(claim, scene.outcome(2))
        let now = try await scene.store.deliveries.time()
        try await scene.store.apps.raise(
            AppAlarm(
                app: app, suspension: .tokensUnfit, reason: "BadDeviceToken", since: now,
                probeAt: now))
        try await scene.store.apps.clear(app)
        let again = try #require(try await scene.claim(after: 10).first)
        let released = try await scene.store.deliveries.page(
            again, true, scene.now.adding(seconds: 10), 0, 10)
        #expect(released.map(\.id) == [ids[0]])
    }

    @Test func `is found by the index that is for it`() async throws {
        let database = try await TestDatabase.make()
        let definition = try await database.pool.query(
            "SELECT pg_get_indexdef('registration_held'::regclass)"
        ).first?.get(0, as: String.self)
        for suspension in AppSuspension.allCases {
            #expect(try #require(definition).contains("'\(suspension.rawValue)'"))
        }
    }
}
