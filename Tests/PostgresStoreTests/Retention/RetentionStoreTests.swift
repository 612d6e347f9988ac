import Domain
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// Two tenants with activities that have ended.
private struct KeptScene {
    let database: TestDatabase
    let tenant: TenantID
    let other: TenantID

    /// Everything that happens in a test is before it.
    let later = Moment(unixSeconds: 4_000_000_000)

    var store: EventStore { database.store }
    var retention: any RetentionStore { database.store.retention }

    init() async throws {
        database = try await TestDatabase.make()
        tenant = try await database.store.tenants.ensure("acme").id
        other = try await database.store.tenants.ensure("other").id
    }

    func append(_ activities: [String], of owner: TenantID? = nil) async throws {
        let owner = owner ?? tenant
        let head = try await store.log.head(owner)
        _ = try await store.log.append(
            owner,
            activities.enumerated().map { (index, activity) in
                Samples.event("\(head + Int64(index) + 1)", activity)
            })
    }

    /// Appends and folds; nothing has to be sent.
    func end(_ activities: [String], of owner: TenantID? = nil) async throws {
        try await append(activities, of: owner)
        let fold: @Sendable (FoldBatch) -> FoldResult = { batch in
            var outcome = Samples.fold(batch, .hold)
            for index in outcome.snapshots.indices { outcome.snapshots[index].phase = .ended }
            return outcome
        }
        while try await store.projections.foldNext(nil, 1_000, fold) != nil {}
    }

    func archive(_ after: Int64, _ through: Int64, of owner: TenantID? = nil) async throws {
        try await retention.note(Self.entry(after, through), of: owner ?? tenant)
    }

    static func entry(_ after: Int64, _ through: Int64) -> LogArchive {
        LogArchive(after: after, through: through, place: "/archive", chain: "c\(through)")
    }

    /// Those of these names, were they ended long ago.
    func candidates(_ names: [String]) -> [DroppableActivity] {
        names.map { DroppableActivity(id: ActivityID(rawValue: $0), before: later) }
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `The store of what is kept` {
    @Test func `knows archives in their order, each from where the last one ends`() async throws {
        let scene = try await KeptScene()
        try await scene.append(["a", "b", "c", "d"])
        try await scene.archive(1, 2)
        #expect(try await scene.retention.archives(scene.tenant).isEmpty)
        try await scene.archive(0, 2)
        // Again, from elsewhere, and more than there is.
        try await scene.archive(0, 2)
        try await scene.archive(1, 3)
        try await scene.archive(3, 4)
        try await scene.archive(2, 5)
        #expect(try await scene.retention.archives(scene.tenant) == [KeptScene.entry(0, 2)])
        try await scene.archive(2, 4)
        #expect(
            try await scene.retention.archives(scene.tenant)
                == [KeptScene.entry(0, 2), KeptScene.entry(2, 4)])
        #expect(try await scene.retention.archives(scene.other).isEmpty)
    }

    @Test func `notes one of many archives that begin at the same place`() async throws {
        let scene = try await KeptScene()
        try await scene.append(["a", "b", "c", "d"])
        await withTaskGroup(of: Void.self) { group in
            for through: Int64 in 1...4 {
                // One that comes too late may be refused.
                group.addTask { _ = try? await scene.archive(0, through) }
            }
        }
        #expect(try await scene.retention.archives(scene.tenant).map(\.after) == [0])
    }

    @Test func `knows which archives have events of some activities, and where they are now`()
        async throws
    {
        let scene = try await KeptScene()
        for owner in [scene.tenant, scene.other] {
            try await scene.append(["a", "b", "b", "c", "a", "d"], of: owner)
            for through: Int64 in 1...5 { try await scene.archive(through - 1, through, of: owner) }
        }
        for (names, throughs): ([String], [Int64]) in [
            (["a"], [1, 5]), (["b", "c"], [2, 3, 4]), (["d"], []), (["nobody"], []), ([], []),
        ] {
            let found = try await scene.retention.archives(
                scene.tenant, of: names.map(ActivityID.init(rawValue:)))
            #expect(found == throughs.map { KeptScene.entry($0 - 1, $0) }, "\(names)")
        }
        var moved = KeptScene.entry(1, 2)
        (moved.place, moved.chain) = ("/elsewhere", "other")
        try await scene.retention.noteAgain(moved, of: scene.tenant)
        let known = try await scene.retention.archives(scene.tenant)
        #expect(known.filter { $0.place == "/elsewhere" } == [moved] && known.count == 5)
        let others = try await scene.retention.archives(scene.other)
        #expect(others.allSatisfy { $0.place == "/archive" } && others.count == 5)
    }

    @Test func `finds the last position that was recorded before a moment`() async throws {
        let scene = try await KeptScene()
        let seconds: [Double] = [0, 10, 10, 20]
        _ = try await EventImport.postgres(scene.database.pool).record(
            scene.tenant,
            seconds.enumerated().map { (index, seconds) in
                ImportedEvent(
                    recordedAt: Samples.time.adding(seconds: seconds),
                    event: Samples.event("\(index)"))
            })
        for (seconds, position): (Double, Int64) in [(0, 0), (10, 1), (10.5, 3), (20, 3), (99, 4)] {
            let moment = Samples.time.adding(seconds: seconds)
            let found = try await scene.retention.position(scene.tenant, before: moment)
            #expect(found == position, "\(seconds) s")
        }
        #expect(try await scene.retention.position(scene.other, before: scene.later) == 0)
    }

    @Test func `lets nothing go that is not archived, has changed since or has not ended`()
        async throws
    {
        let scene = try await KeptScene()
        try await scene.end(["archived", "later", "changed", "blocked", "beyond"])
        try await scene.archive(0, 4)
        try await scene.append(["changed"])
        _ = try await scene.database.pool.query(
            "UPDATE snapshot SET fault = 'broken' WHERE activity_id = 'blocked'")
        _ = try await scene.database.pool.query(
            "UPDATE snapshot SET phase = 'live' WHERE activity_id = 'later'")
        let page = try await scene.retention.droppable(
            scene.tenant, Retention(otherwise: scene.later), after: nil)
        #expect(page.activities == scene.candidates(["archived"]))
        #expect(page.last == nil)
        // Not before its time has come.
        let none = try await scene.retention.droppable(
            scene.tenant, Retention(otherwise: Samples.time), after: nil)
        #expect(none.activities.isEmpty)
    }

    @Test func `keeps what a webhook is to be sent again, until it arrived or is given up`()
        async throws
    {
        let scene = try await KeptScene()
        try await scene.end(["waits", "given-up", "arrived"])
        try await scene.archive(0, 3)
        let isAdded = try await scene.store.webhooks.add(
            Webhook(
                tenant: scene.tenant, id: "wh_1", url: "https://a.example",
                createdAt: Samples.time),
            WebhookSecret(tenant: scene.tenant, webhookID: "wh_1", sealed: [1], masterKeyID: "m1"))
        #expect(isAdded)
        _ = try await scene.database.pool.query(
            """
            INSERT INTO webhook_message (
                tenant, webhook_id, activity_id, after_version, version, attempts,
                first_tried_at, tried_at, retry_at, given_up_at, last_failure
            ) VALUES
                ($1, 'wh_1', 'waits', 0, 1, 1, now(), now(), now(), NULL, 'status 500'),
                ($1, 'wh_1', 'given-up', 0, 1, 1, now(), now(), NULL, now(), 'status 500')
            """, [.tenant(scene.tenant)])
        let retention = Retention(otherwise: scene.later)
        let page = try await scene.retention.droppable(scene.tenant, retention, after: nil)
        #expect(page.activities == scene.candidates(["arrived", "given-up"]))
        let all = scene.candidates(["waits", "given-up", "arrived"])
        #expect(try await scene.retention.drop(scene.tenant, all).activities == 2)
        // One that is turned off keeps nothing.
        let isOff = try await scene.store.webhooks.edit(
            scene.tenant, "wh_1", WebhookEdit(isEnabled: false))
        #expect(isOff)
        #expect(try await scene.retention.drop(scene.tenant, all).activities == 1)
    }

    @Test func `looks through activities in pages, in order of their ids`() async throws {
        let scene = try await KeptScene()
        let names = (1_000..<2_001).map { "order-\($0)" }
        try await scene.end(Array(names.suffix(501)))
        try await scene.end(Array(names.prefix(500)))
        try await scene.archive(0, 1_001)
        // What may not go is looked at too.
        _ = try await scene.database.pool.query(
            "UPDATE snapshot SET phase = 'live' WHERE activity_id = 'order-1998'")
        let retention = Retention(otherwise: scene.later)
        let first = try await scene.retention.droppable(scene.tenant, retention, after: nil)
        let droppable = names.prefix(1_000).filter { $0 != "order-1998" }
        #expect(first.activities.map(\.id.rawValue) == droppable)
        #expect(first.last?.rawValue == "order-1999")
        let second = try await scene.retention.droppable(
            scene.tenant, retention, after: first.last)
        #expect(second.activities.map(\.id.rawValue) == ["order-2000"])
        #expect(second.last == nil)
    }

    @Test func `drops those that still may go, with all their events, and nothing else`()
        async throws
    {
        let scene = try await KeptScene()
        for owner in [scene.tenant, scene.other] {
            try await scene.end(["a", "a", "b", "c"], of: owner)
            try await scene.archive(0, 4, of: owner)
        }
        let others = try await scene.database.contents(of: scene.other)
        let found = try await scene.retention.droppable(
            scene.tenant, Retention(otherwise: scene.later), after: nil)
        #expect(found.activities == scene.candidates(["a", "b", "c"]))
        try await scene.append(["b"])
        let some = scene.candidates(["a", "b"])
        #expect(
            try await scene.retention.drop(scene.tenant, some)
                == DroppedActivities(activities: 1, events: 2))
        #expect(try await scene.retention.drop(scene.tenant, some) == DroppedActivities())
        // Written down once, since the second time nothing went.
        let acts = try await scene.store.audit.list(scene.tenant, nil, 10)
        #expect(acts.map(\.act) == ["activities.dropped", "tenant.created"])
        #expect(acts[0].subject == "1-2" && acts[0].before == nil)
        let after = String(decoding: try #require(acts[0].after), as: UTF8.self)
        #expect(after == #"{"events": 2, "activities": 1}"#)
        #expect(try await scene.retention.dropped(scene.tenant) == 2)
        #expect(try await scene.store.log.read(scene.tenant, 0, 10).map(\.position) == [3, 4, 5])
        #expect(
            try await scene.store.snapshots(of: scene.tenant)
                .map(\.activityID.rawValue) == ["b", "c"])
        #expect(try await scene.retention.dropped(scene.other) == 0)
        #expect(try await scene.database.contents(of: scene.other) == others)
    }

    @Test func `says of every record whose it is, since tenants may share a place`() async throws {
        let scene = try await KeptScene()
        for (owner, name) in [(scene.tenant, "acme"), (scene.other, "other")] {
            try await scene.end(["a"], of: owner)
            _ = try await scene.database.pool.query(
                """
                INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id)
                VALUES ($1, 'a', $2, 'sandbox', 'com.example')
                """, [.tenant(owner), .text(name)])
            let records = try await scene.retention.records(owner, scene.candidates(["a"]))
            #expect(records.count == 2)
            for (record, sort) in zip(records, ["decision", "registration"]) {
                let start =
                    #"{"record" : "\#(sort)", "tenant" : "\#(name)", "#
                    + #""tenant_id" : \#(owner.rawValue), "row" : {"#
                #expect(record.hasPrefix(start), "\(record)")
            }
        }
    }

    @Test func `writes nothing down that tells of phones once their activity was erased`()
        async throws
    {
        let scene = try await KeptScene()
        try await scene.end(["a", "b"])
        _ = try await scene.database.pool.query(
            """
            INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id,
                installation, locale, app_build, os_major)
            SELECT $1, a, a, 'sandbox', 'com.example', 'phone-' || a, 'de-AT', '77', 18
            FROM unnest('{a,b}'::text[]) AS a
            """, [.tenant(scene.tenant)])
        _ = try await scene.database.pool.query(
            """
            INSERT INTO card_start (tenant, activity_id, device_id, state, put_version)
            SELECT $1, a, 1, 'started', 1 FROM unnest('{a,b}'::text[]) AS a
            """, [.tenant(scene.tenant)])
        let erased = ActivityID(rawValue: "a")
        _ = try await scene.store.erasure.erase(scene.tenant, erased) { _ in
            var outcome = ErasureChanges()
            outcome.destroysKey = true
            return .success(outcome)
        }
        // As an archive does. The new key is not for what was there before.
        _ = try await scene.store.erasure.keys(scene.tenant, [erased], isMaking: true)
        for (activity, isErased) in [("a", true), ("b", false)] {
            let records = try await scene.retention.records(
                scene.tenant, scene.candidates([activity]))
            #expect(records.count == 3)
            let text = records.joined()
            #expect(text.contains(#""bundle_id": "com.example""#))
            #expect(text.contains(#""state": "started""#))
            for member in CardRecord.phoneMembers {
                #expect(text.contains("\"\(member)\":") != isErased, "\(member)")
            }
        }
    }

    @Test func `sweeps two thousand rows at a time, and none that are needed`() async throws {
        let scene = try await KeptScene()
        _ = try await scene.database.pool.query(
            """
            INSERT INTO registration (tenant, activity_id, push_token, environment, bundle_id,
                dead_at, closed_at, closed_by)
            SELECT $1, 'a', n::text, 'sandbox', 'com.example', $2, NULL::timestamptz, NULL
            FROM generate_series(1, 2001) AS n
            UNION ALL SELECT $1, 'a', 'living', 'sandbox', 'com.example', NULL, NULL, NULL
            UNION ALL SELECT $1, 'a', 'dead', 'sandbox', 'com.example', $3, NULL, NULL
            UNION ALL SELECT $1, 'a', 'closed', 'sandbox', 'com.example', NULL, $3, 'app'
            UNION ALL SELECT $1, 'a', 'replaced', 'sandbox', 'com.example', NULL, $2, 'app'
            """,
            [
                .tenant(scene.tenant), .moment(Samples.time.adding(seconds: -1)),
                .moment(Samples.time),
            ])
        // The end of a card is yet to be sent, once its fresh one has been started.
        _ = try await scene.database.pool.query(
            """
            INSERT INTO card_start (tenant, activity_id, device_id, state, due_at, put_version,
                ends_registration)
            SELECT $1, 'a', 1, 'waiting', $2, 1, id FROM registration WHERE push_token = 'replaced'
            """, [.tenant(scene.tenant), .moment(Samples.time)])
        for gone in [2_000, 1, 0] {
            #expect(try await scene.retention.sweep(.registrations, before: Samples.time) == gone)
        }
        let left = try await scene.database.pool.query("SELECT FROM registration")
        #expect(left.count == 4)
        let moment = Samples.time.adding(microseconds: 1)
        #expect(try await scene.retention.sweep(.registrations, before: moment) == 2)
    }

    @Test func `removes a tenant whose log is archived wholly, and until then nothing of it`()
        async throws
    {
        let scene = try await KeptScene()
        for owner in [scene.tenant, scene.other] {
            try await scene.end(["a", "b"], of: owner)
            try await scene.archive(0, 1, of: owner)
            try await scene.store.tenants.addKey(
                owner, [UInt8](repeating: UInt8(owner.rawValue), count: 32), [.admin])
        }
        let before = try await scene.database.contents(of: scene.tenant)
        let others = try await scene.database.contents(of: scene.other)
        await #expect(throws: EventStoreError.self) {
            try await scene.retention.remove(scene.tenant)
        }
        #expect(try await scene.database.contents(of: scene.tenant) == before)
        try await scene.archive(1, 2)
        #expect(try await scene.retention.remove(scene.tenant) > 0)
        #expect(try await scene.store.tenants.all().map(\.name).sorted() == ["acme", "other"])
        #expect(try await scene.retention.remove(scene.tenant) == 0)
        #expect(try await scene.store.tenants.all().map(\.name) == ["other"])
        #expect(try await scene.database.contents(of: scene.other) == others)
    }

    @Test func `removes a tenant with a start token and with more topics than go at once`()
        async throws
    {
        let scene = try await KeptScene()
        try await scene.end(["a"])
        try await scene.archive(0, 1)
        let topic = try #require(AudienceTopic(rawValue: "customer:42"))
        for owner in [scene.tenant, scene.other] {
            _ = try await scene.store.startTokens.putToken(
                owner,
                StartWish(
                    installation: "phone", kind: "Sample", token: Samples.token("1"),
                    environment: .sandbox, bundleID: "com.example", topics: [topic]))
        }
        for sql in [
            """
            INSERT INTO activity_audience (tenant, activity_id, topics)
            SELECT $1, n::text, '{customer:42}' FROM generate_series(1, 2001) AS n
            """,
            """
            INSERT INTO audience_topic (tenant, topic, activity_id)
            SELECT tenant, topics[1], activity_id FROM activity_audience WHERE tenant = $1
            """,
        ] {
            _ = try await scene.database.pool.query(sql, [.tenant(scene.tenant)])
        }
        let others = try await scene.database.contents(of: scene.other)
        while try await scene.retention.remove(scene.tenant) > 0 {}
        #expect(try await scene.store.tenants.all().map(\.name) == ["other"])
        let left = try await scene.database.contents(
            of: scene.tenant, except: ["audit_entry", "removed_tenant"])
        #expect(left.filter { !$0.hasSuffix(": ") } == [])
        #expect(try await scene.database.contents(of: scene.other) == others)
    }
}
