import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

private let app = AppInEnvironment(bundleID: "com.example", environment: .sandbox)

extension DeliveryScene {
    fileprivate func open() async throws -> Channel {
        _ = try await store.channels.want(tenant, activity, app, .none)
        let task = try #require(try await store.channels.take(10, nil).first)
        #expect(
            try await store.channels.change(
                task.channel, ChannelChange(.creating, attempts: 1), nil))
        var asked = task.channel
        (asked.state, asked.attempts) = (.creating, 1)
        let change = ChannelChange(.open, channelID: "abc=")
        #expect(try await store.channels.change(asked, change, nil))
        return try #require(
            try await store.channels.find(tenant, activity, app.bundleID).first)
    }

    /// As many as wished of the first tenant, of one activity each.
    fileprivate func wantMany(_ count: Int) async throws {
        _ = try await database.pool.query(
            """
            INSERT INTO channel (
                tenant, activity_id, bundle_id, environment, storage, state, retry_at, wanted_at
            )
            SELECT $1, 'many-' || n, 'com.example', 'sandbox', 'none', 'wanted', 'epoch', now()
            FROM generate_series(1, $2) n
            """, [.int4(tenant.rawValue), .int4(Int32(count))])
    }
}

struct `The store of channels` {
    @Test func `has one for the same phones, however many ask at a time`() async throws {
        let scene = try await DeliveryScene([])
        let nodes = [scene.store, EventStore.postgres(pool: scene.database.makePool())]
        let areNew = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try await nodes[number % 2].channels.want(
                        scene.tenant, scene.activity, app, .none
                    ).isNew
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(areNew.count { $0 } == 1)
        #expect(try await scene.store.channels.all().count == 1)
    }

    @Test func `gives one to look after to one at a time, and again after a while`() async throws {
        let scene = try await DeliveryScene([])
        _ = try await scene.store.channels.want(scene.tenant, scene.activity, app, .none)
        let later = Moment(unixSeconds: 4_000_000_000)
        #expect(try await scene.store.channels.take(10, later).map(\.activity) == [.unknown])
        #expect(try await scene.store.channels.take(10, later.adding(seconds: 9)).isEmpty)
        #expect(try await scene.store.channels.take(10, later.adding(seconds: 11)).count == 1)
    }

    @Test func `gives tenants turns, however many channels one of them wants`() async throws {
        let scene = try await DeliveryScene([])
        try await scene.wantMany(300)
        let other = try await scene.store.tenants.ensure("other").id
        _ = try await scene.store.channels.want(other, scene.activity, app, .none)
        let tasks = try await scene.store.channels.take(10, nil)
        #expect(tasks.count == 10)
        #expect(tasks.count { $0.channel.tenant == other } == 1)
        // Nobody else is given the same ones.
        let next = try await scene.store.channels.take(10, nil)
        #expect(Set((tasks + next).map(\.channel.id)).count == 20)
    }

    /// As many may be due at once as are wanted, and few were when plans were made.
    @Test func `finds what a tenant wants without reading what others do`() async throws {
        let scene = try await DeliveryScene([])
        try await scene.wantMany(1_000)
        let session = try await scene.database.pool.openDedicated()
        try await session.script(
            """
            UPDATE channel SET retry_at = now() + interval '1 h';
            ANALYZE channel;
            PREPARE taking AS \(ChannelQueries.take)
            """)
        let rows = try await session.query("EXPLAIN EXECUTE taking (NULL, 50)")
        await session.close()
        let plan = try rows.map { try $0.get(0, as: String.self) }
        #expect(plan.contains { $0.contains("using channel_wanted ") }, "\(plan)")
        #expect(!plan.contains { $0.contains("channel_waiting") }, "\(plan)")
    }

    @Test func `gives of one tenant those first that have waited longest`() async throws {
        let scene = try await DeliveryScene([])
        _ = try await scene.open()
        try await scene.wantMany(3)
        _ = try await scene.database.pool.query(
            """
            UPDATE channel SET look_at = CASE state WHEN 'open' THEN timestamptz 'epoch' END,
                retry_at = CASE WHEN state = 'wanted' AND activity_id <> 'many-2'
                    THEN clock_timestamp() - interval '1 s' ELSE retry_at END
            """)
        let tasks = try await scene.store.channels.take(2, nil)
        let names = Set(tasks.map(\.channel.activityID.rawValue))
        #expect(names == ["many-2", scene.activity.rawValue])
    }

    @Test func `writes nothing over what is not as it was read`() async throws {
        let scene = try await DeliveryScene([])
        let wanted = try await scene.store.channels.want(scene.tenant, scene.activity, app, .none)
        _ = try await scene.open()
        let late = ChannelChange(.open, channelID: "other=")
        #expect(try await !scene.store.channels.change(wanted.channel, late, nil))
        let found = try await scene.store.channels.find(
            scene.tenant, scene.activity, app.bundleID)
        #expect(found.map(\.channelID) == ["abc="])
    }

    @Test func `claims an activity for a channel that is owed alone`() async throws {
        let scene = try await DeliveryScene()
        let channel = try await scene.open()
        let claim = try #require(try await scene.claim().first)
        #expect(claim.channels.map(\.retryAt) == [nil])
        try await scene.store.channels.record(
            claim,
            [(channel, .retry(at: scene.now.adding(seconds: 5), reason: "x"))])
        try await scene.store.deliveries.complete(claim, scene.outcome(1))
        #expect(try await scene.claim(after: 4).isEmpty)
        let again = try #require(try await scene.claim(after: 6).first)
        #expect(again.pending.isEmpty)
        #expect(again.channels.map(\.attempts) == [1])
        #expect(again.channels.map(\.retryAt) == [scene.now.adding(seconds: 5)])
        try await scene.store.channels.record(
            again, [(channel, .accepted(version: 1))])
        try await scene.store.deliveries.complete(again, scene.outcome(1))
        #expect(try await scene.claim(after: 100).isEmpty)
    }

    @Test func `records nothing under a claim that is void`() async throws {
        let scene = try await DeliveryScene()
        let channel = try await scene.open()
        let claim = try #require(try await scene.claim().first)
        await scene.store.deliveries.release(claim)
        await #expect(throws: EventStoreError.self) {
            try await scene.store.channels.record(
                claim, [(channel, .accepted(version: 1))])
        }
        #expect(
            try await scene.store.channels.find(
                scene.tenant, scene.activity, app.bundleID
            ).map(\.sentVersion) == [0])
    }

    @Test func `wants another for one that is lost`() async throws {
        let scene = try await DeliveryScene()
        let channel = try await scene.open()
        let claim = try #require(try await scene.claim().first)
        try await scene.store.channels.record(
            claim, [(channel, .lost(reason: "ChannelNotRegistered"))])
        let states = try await scene.store.channels.all().map(\.state)
        #expect(states == [.wanted])
        try await scene.store.deliveries.complete(claim, scene.outcome(1))
        try await scene.change(.timely)
        let next = try #require(try await scene.claim(after: 2).first)
        #expect(next.channels.map(\.state) == [.wanted])
    }

    @Test func `loses all of an app that may not broadcast any more, and no other's`()
        async throws
    {
        let scene = try await DeliveryScene()
        _ = try await scene.open()
        let other = try await scene.store.tenants.ensure("other").id
        _ = try await scene.database.pool.query(
            """
            INSERT INTO channel (
                tenant, activity_id, bundle_id, environment, storage, state, channel_id, wanted_at,
                opened_at
            )
            SELECT t, a, b, e, 'newest', 'open', a, now(), now() + s * interval '1 s'
            FROM (VALUES
                ($1::int4, 'second', 'com.example', 'sandbox', 0),
                ($1, 'later', 'com.example', 'sandbox', 60),
                ($1, 'other app', 'com.second', 'sandbox', 0),
                ($1, 'other environment', 'com.example', 'production', 0),
                ($2::int4, 'other tenant', 'com.example', 'sandbox', 0)
            ) AS v (t, a, b, e, s)
            """, [.tenant(scene.tenant), .tenant(other)])
        let asked = try await scene.store.deliveries.time()
        let wish = ChannelChange(
            .wanted, attempts: 1, retryAt: asked.adding(seconds: 600), failure: "FeatureNotEnabled")
        let channels = scene.store.channels
        for _ in 0..<2 {
            try await channels.loseAll(
                TenantApp(tenant: scene.tenant, app: app), openedBy: asked, wish)
        }
        let all = try await channels.all()
        let open = all.filter { $0.state == .open }.map(\.activityID.rawValue)
        #expect(open.sorted() == ["later", "other app", "other environment", "other tenant"])
        let wanted = all.filter { $0.state == .wanted }
        #expect(Set(wanted.map(\.activityID.rawValue)) == [scene.activity.rawValue, "second"])
        for channel in wanted {
            #expect(channel.attempts == 1)
            #expect(channel.retryAt == asked.adding(seconds: 600))
            #expect(channel.lastFailure == "FeatureNotEnabled")
            #expect(channel.channelID == nil)
        }
        #expect(wanted.first { $0.activityID.rawValue == "second" }?.storage == .newest)
        #expect(try await channels.take(10, asked.adding(seconds: 599)).isEmpty)
        #expect(try await channels.take(10, asked.adding(seconds: 601)).count == 2)
    }

    @Test func `counts followers of each app by itself`() async throws {
        let scene = try await DeliveryScene()
        for digit in ["1", "2", "3"] { _ = try await scene.register(digit) }
        let channels = scene.store.channels
        #expect(try await channels.wantForFollowers(scene.tenant, scene.activity, 4) == 0)
        #expect(try await channels.wantForFollowers(scene.tenant, scene.activity, 3) == 1)
        #expect(try await channels.wantForFollowers(scene.tenant, scene.activity, 3) == 0)
        let followers = try await channels.followers(scene.tenant, scene.activity, app)
        #expect(followers == .init(served: 3))
    }

    @Test func `counts no further than it takes, and no app that has a channel`() async throws {
        let scene = try await DeliveryScene([])
        let channels = scene.store.channels
        _ = try await scene.database.pool.query(
            """
            INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id)
            SELECT $1, $2, lpad(to_hex(n), 64, pad), e, b
            FROM generate_series(1, 2000) AS n,
                (VALUES ('sandbox', 'com.example', '0'), ('production', 'com.second', 'f'))
                    AS a (e, b, pad)
            WHERE e = 'sandbox' OR n > 1990
            """, [.int4(scene.tenant.rawValue), .text(scene.activity.rawValue)])
        #expect(try await channels.wantForFollowers(scene.tenant, scene.activity, 1_000) == 1)
        #expect(try await channels.wantForFollowers(scene.tenant, scene.activity, 11) == 0)
        #expect(try await channels.wantForFollowers(scene.tenant, scene.activity, 10) == 1)
        let wanted = try await channels.all().map(\.app.bundleID)
        #expect(wanted == ["com.example", "com.second"])
        #expect(try await channels.wantForFollowers(scene.tenant, scene.activity, 1) == 0)
    }
}
