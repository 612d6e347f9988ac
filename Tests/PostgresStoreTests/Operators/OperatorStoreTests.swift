import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

private let app = AppInEnvironment(bundleID: "com.example", environment: .sandbox)

extension DeliveryScene {
    fileprivate func other() async throws -> TenantID { try await store.tenants.ensure("other").id }
}

@Suite(.timeLimit(.minutes(2)))
struct `The store of what operators look at` {
    @Test func `has the messages of a webhook that did not arrive, the last tried first`()
        async throws
    {
        let scene = try await DeliveryScene()
        for id in ["wh_1", "wh_2"] {
            let webhook = Webhook(
                tenant: scene.tenant, id: id, url: "https://a.example", createdAt: Samples.time)
            let secret = WebhookSecret(
                tenant: scene.tenant, webhookID: id, sealed: [1], masterKeyID: "m1")
            #expect(try await scene.store.webhooks.add(webhook, secret))
        }
        try await scene.fail("wh_1", "order-2", triedAfter: 2, again: nil)
        try await scene.fail("wh_1", "order-1", triedAfter: 3, again: 60)
        try await scene.fail("wh_1", "order-3", triedAfter: 1, again: 50)
        try await scene.fail("wh_2", "order-4", triedAfter: 4, again: 60)
        let operators = scene.store.operators
        let all = try await operators.attempts(scene.tenant, "wh_1", 10)
        #expect(all.map(\.message.activityID.rawValue) == ["order-1", "order-2", "order-3"])
        #expect(all.map(\.kind) == ["Sample", nil, nil])
        #expect(
            all.map(\.retryAt) == [
                scene.now.adding(seconds: 60), nil, scene.now.adding(seconds: 50),
            ])
        #expect(all.map(\.givenUpAt) == [nil, scene.now.adding(seconds: 2), nil])
        let newest = try await operators.attempts(scene.tenant, "wh_1", 2)
        #expect(newest == Array(all.prefix(2)))
        // Another generation that is built has the activity too.
        let rebuilds = scene.store.rebuilds
        _ = try await rebuilds.begin(scene.tenant, "test", ["Sample": 1])
        let session = try #require(try await rebuilds.take(nil, ["Sample": 1]))
        let snapshots = try await scene.store.snapshots(of: scene.tenant)
        #expect(try await session.write(RebuiltPart(snapshots: snapshots, parked: []), 1))
        await session.release()
        #expect(try await operators.attempts(scene.tenant, "wh_1", 10) == all)
        // One that is due early was tried long ago.
        let last = try await operators.attempts(scene.tenant, "wh_1", 1)
        #expect(last == Array(all.prefix(1)))
        let other = try await scene.other()
        #expect(try await operators.attempts(other, "wh_1", 10).isEmpty)
    }

    @Test func `has a tenant's keys, without their seals`() async throws {
        let scene = try await DeliveryScene([])
        let other = try await scene.other()
        for (owner, key, scope) in [
            (scene.tenant, "KEY0000002", AppKeyScope.sandbox),
            (other, "KEY0000003", AppKeyScope.both),
            (scene.tenant, "KEY0000001", AppKeyScope.production),
        ] {
            let identity = AppKeyIdentity(
                tenant: owner, bundleID: app.bundleID, teamID: "TEAM000001", keyID: key,
                scope: scope)
            let new = NewAppKey(identity: identity, sealed: [7], masterKeyID: "m1")
            #expect(try await scene.store.apps.add(new, .add) == nil)
        }
        let shown = try await scene.store.operators.appKeys(scene.tenant)
        #expect(shown.map(\.identity.keyID) == ["KEY0000002", "KEY0000001"])
        #expect(shown.map(\.sealed) == [[], []])
        #expect(try await scene.store.apps.keys().map(\.sealed) == [[7], [7], [7]])
    }

    @Test func `pages a tenant's current channels by id`() async throws {
        let scene = try await DeliveryScene([])
        let other = try await scene.other()
        for (owner, activity) in [
            (scene.tenant, "a"), (other, "x"), (scene.tenant, "b"), (scene.tenant, "c"),
        ] {
            _ = try await scene.store.channels.want(
                owner, ActivityID(rawValue: activity), app, .none)
        }
        _ = try await scene.database.pool.query(
            """
            UPDATE channel SET state = 'withdrawn', closed_at = clock_timestamp(),
                retry_at = NULL, look_at = NULL
            WHERE activity_id = 'b'
            """)
        let operators = scene.store.operators
        let page = try await operators.channels(scene.tenant, 0, 1)
        let first = try #require(page.first)
        #expect(page.map(\.activityID.rawValue) == ["a"])
        let rest = try await operators.channels(scene.tenant, first.id, 10)
        #expect(rest.map(\.activityID.rawValue) == ["c"])
    }

    @Test func `names nodes that are connected, and one that died with something claimed`()
        async throws
    {
        let scene = try await DeliveryScene()
        let (operators, other) = (scene.store.operators, try await scene.other())
        let session = try await scene.database.pool.openDedicated()
        try await session.script("SET application_name = 'islet/connected'")
        let node = EventStore.postgres(pool: scene.database.makePool(), node: "away")
        let claim = try #require(try await scene.claim(node).first)
        let nodes = try await operators.nodes(scene.tenant)
        #expect(nodes.map(\.name) == ["away", "connected"])
        #expect(nodes.map(\.connections) == [0, 1])
        #expect(nodes.map(\.claims) == [1, 0])
        #expect(nodes.map { $0.since == nil } == [true, false])
        // What is claimed is nobody else's business.
        #expect(try await operators.nodes(other).map(\.name) == ["connected"])
        await node.deliveries.release(claim)
        #expect(try await operators.nodes(scene.tenant).map(\.name) == ["connected"])
        await session.close()
    }
}
