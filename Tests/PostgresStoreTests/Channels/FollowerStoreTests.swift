import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

extension DeliveryScene {
    /// Phones with a push token each, so many of each app.
    fileprivate func register(_ counts: [(bundleID: String, count: Int)]) async throws {
        _ = try await database.pool.query(
            """
            INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id)
            SELECT $1, $2, md5(a.bundle_id || n) || md5(n || a.bundle_id), 'sandbox', a.bundle_id
            FROM unnest($3::text[], $4::int8[]) AS a (bundle_id, count),
                generate_series(1, a.count) AS n
            """,
            [
                .tenant(tenant), .activity(activity), .texts(counts.map { $0.bundleID }),
                .int8s(counts.map { Int64($0.count) }),
            ])
    }

    /// Phones on which a card is to appear.
    fileprivate func follow(_ bundleID: String, _ count: Int) async throws {
        _ = try await store.startTokens.putAudience(
            tenant, activity, [try #require(AudienceTopic(rawValue: "a:1"))], nil)
        _ = try await database.pool.query(
            """
            WITH device AS (
                INSERT INTO start_device (tenant, installation, bundle_id)
                SELECT $1, $2::text || n, $2 FROM generate_series(1, $3::int8) n
                RETURNING tenant, id
            ), token AS (
                INSERT INTO start_token (
                    tenant, device_id, kind, push_token, environment, os_major, put_at, changed_at
                )
                SELECT d.tenant, d.id, 'Sample', 'p', 'sandbox', 18, now(), now() FROM device d
            )
            INSERT INTO start_topic (tenant, kind, topic, device_id)
            SELECT d.tenant, 'Sample', 'a:1', d.id FROM device d
            """, [.tenant(tenant), .text(bundleID), .count(count)])
    }

    fileprivate func want(_ followers: Int) async throws -> Int {
        try await store.channels.wantForFollowers(tenant, activity, followers)
    }

    fileprivate func wanted() async throws -> [String] {
        try await store.channels.all().map(\.app.bundleID).sorted()
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `Followers of an activity` {
    @Test func `are counted exactly, whichever apps lie between`() async throws {
        let scene = try await DeliveryScene()
        try await scene.register((1...60).map { ("app-\($0)", $0 * 7 % 6) })
        for needed in [5, 4, 3, 2, 1] {
            #expect(try await scene.want(needed) == 10, "\(needed)")
            #expect(try await scene.want(needed) == 0, "\(needed)")
        }
    }

    @Test func `are found among apps that are made up`() async throws {
        let scene = try await DeliveryScene()
        try await scene.register((1...3_000).map { ("a.made.up.\($0)", 1) })
        try await scene.register((1...3_000).map { ("z.made.up.\($0)", 1) })
        try await scene.register([("com.example", 1_500), ("com.second", 999)])
        #expect(try await scene.want(1_000) == 1)
        #expect(try await scene.wanted() == ["com.example"])
        #expect(try await scene.want(2) == 1)
        #expect(try await scene.wanted() == ["com.example", "com.second"])
    }

    @Test func `are those with a push token and those on whose phones a card is to appear`()
        async throws
    {
        let scene = try await DeliveryScene()
        try await scene.register([("com.example", 6), ("com.second", 5)])
        try await scene.follow("com.example", 4)
        try await scene.follow("com.third", 9)
        #expect(try await scene.want(11) == 0)
        #expect(try await scene.want(10) == 1)
        #expect(try await scene.wanted() == ["com.example"])
        #expect(try await scene.want(9) == 1)
        #expect(try await scene.wanted() == ["com.example", "com.third"])
    }

    @Test func `of an audience are those that were not looked at yet`() async throws {
        let scene = try await DeliveryScene()
        try await scene.follow("com.example", 10)
        _ = try await scene.database.pool.query(
            """
            UPDATE activity_audience SET cursor = (SELECT min(id) + 4 FROM start_device)
            """)
        #expect(try await scene.want(6) == 0)
        #expect(try await scene.want(5) == 1)
    }

    @Test func `are counted for an answer up to a bound`() async throws {
        let scene = try await DeliveryScene()
        let most = Domain.Limits.countedMax
        try await scene.register([("com.example", most + 1), ("com.second", 2)])
        _ = try await scene.database.pool.query(
            """
            INSERT INTO channel_listener (
                tenant, activity_id, installation, bundle_id, environment, asked_at
            )
            SELECT $1, $2, 'i' || n, 'com.example', 'sandbox', now()
            FROM generate_series(1, $3::int8) n
            """, [.tenant(scene.tenant), .activity(scene.activity), .count(most + 1)])
        func followers(_ bundleID: String) async throws -> ChannelFollowers {
            try await scene.store.channels.followers(
                scene.tenant, scene.activity,
                AppInEnvironment(bundleID: bundleID, environment: .sandbox))
        }
        #expect(try await followers("com.example") == .init(served: most, listening: most))
        #expect(try await followers("com.second") == .init(served: 2))
        _ = try await scene.database.pool.query(
            "UPDATE registration SET closed_at = now(), closed_by = 'broadcast', retry_at = NULL")
        #expect(try await followers("com.second") == .init(moved: 2))
    }

    @Test func `that have moved are looked at up to a bound, also those that came back`()
        async throws
    {
        let scene = try await DeliveryScene()
        // The last ten have not come back.
        _ = try await scene.database.pool.query(
            """
            INSERT INTO registration (
                tenant, activity_id, push_token, environment, bundle_id, installation, closed_at,
                closed_by
            )
            SELECT $1, $2, t.token || to_char(n, 'FM00000'), 'sandbox', 'com.example',
                'i' || to_char(n, 'FM00000'), t.closed_at, t.closed_by
            FROM (VALUES ('a', clock_timestamp(), 'broadcast'), ('b', NULL, NULL))
                AS t (token, closed_at, closed_by), generate_series(1, $3::int8 + 10) n
            WHERE t.closed_by IS NOT NULL OR n <= $3::int8
            ORDER BY t.token, n
            """,
            [.tenant(scene.tenant), .activity(scene.activity), .count(Domain.Limits.countedMax)])
        func moved() async throws -> Int {
            try await scene.store.channels.followers(
                scene.tenant, scene.activity,
                AppInEnvironment(bundleID: "com.example", environment: .sandbox)
            ).moved
        }
        #expect(try await moved() == 0)
        _ = try await scene.database.pool.query(
            "DELETE FROM registration WHERE closed_by IS NOT NULL AND installation < 'i00101'")
        #expect(try await moved() == 10)
        _ = try await scene.database.pool.query("DELETE FROM registration WHERE closed_by IS NULL")
        #expect(try await moved() == Domain.Limits.countedMax - 90)
    }
}
