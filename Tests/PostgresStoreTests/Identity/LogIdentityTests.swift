import Domain
import EventStore
import Foundation
import Pipeline
import Postgres
import PostgresStore
import TestSupport
import Testing

private let whole = LogAcceptance(isComplete: true, aheadSeconds: 0)
private let restored = LogAcceptance(isComplete: false, aheadSeconds: 0)

struct `The identity of the log` {
    @Test func `is of one database, and a copy of it sends nothing`() async throws {
        let scene = try await DeliveryScene()
        let identity = scene.store.identity
        _ = try await scene.register("a")
        #expect(try await identity.look().hold == nil)
        try await scene.database.pool.script("UPDATE log_identity SET marker = 'another'")
        #expect(try await identity.look().hold == .copied)
        await #expect(throws: EventStoreError.self) { try await scene.claim() }
        #expect(try await identity.accept(whole) == 1)
        #expect(try await identity.look().hold == nil)
        #expect(try await scene.claim().count == 1)
    }

    @Test func `is another one after a restore, and phones are sent the newest state once more`()
        async throws
    {
        let scene = try await DeliveryScene()
        let store = scene.store
        let phone = try await scene.register("a")
        let claim = try #require(try await store.deliveries.claimNext(10, .all, nil).first)
        try await store.deliveries.record(claim, [scene.result(phone, .accepted(version: 1))])
        try await store.deliveries.complete(claim, scene.outcome(1))

        let before = try await store.deliveries.time()
        let epoch = try #require(
            try await store.identity.accept(LogAcceptance(isComplete: false, aheadSeconds: 60)))
        #expect(epoch >= before.unixSeconds)
        #expect(try await store.identity.look().epoch == epoch)
        // What a clock that was ahead may have given out has to go by first.
        #expect(try await store.deliveries.claimNext(10, .all, before.adding(seconds: 59)).isEmpty)
        let later = before.adding(seconds: 90)
        let again = try #require(try await store.deliveries.claimNext(10, .all, later).first)
        #expect(again.timestamp == later.unixSeconds)
        let page = try await store.deliveries.page(again, true, later, 0, 10)
        #expect(page.map(\.id) == [phone])
        #expect(page.first?.sentVersion == 1)
    }

    @Test func `says what a log has kept of an older epoch`() async throws {
        let scene = try await DeliveryScene([.timely, .timely, .timely])
        let (identity, tenant) = (scene.store.identity, scene.tenant)
        let other = try await scene.store.tenants.ensure("other").id
        #expect(try await identity.kept(tenant, 1) == nil)
        let second = try #require(try await identity.accept(restored))
        try await scene.change(.timely)
        let third = try #require(try await identity.accept(restored))
        #expect(third > second)
        #expect(try await identity.kept(tenant, 1) == 3)
        #expect(try await identity.kept(tenant, second) == 4)
        #expect(try await identity.kept(tenant, third) == nil)
        // Of a restore that was thrown away nobody knows anything.
        #expect(try await identity.kept(tenant, second + 1_000_000) == nil)
        #expect(try await identity.kept(tenant, 2) == nil)
        #expect(try await identity.kept(other, 1) == 0)
    }

    @Test func `is held when somebody asks for it, until it is accepted`() async throws {
        let scene = try await DeliveryScene()
        let identity = scene.store.identity
        let run = try await identity.look().run
        _ = try await scene.register("a")
        try await identity.hold(.asked, in: nil)
        #expect(try await identity.look().hold == .asked)
        #expect(try await identity.beat(1, in: run) == nil)
        await #expect(throws: EventStoreError.self) { try await scene.claim() }
        let epoch = try #require(try await identity.accept(restored))
        #expect(try await identity.look().hold == nil)
        #expect(try await identity.beat(epoch, in: run) != nil)
        #expect(try await identity.beat(1, in: run) == nil)
        // Nobody has looked at the log there.
        #expect(try await identity.beat(epoch, in: "another") == nil)
    }

    @Test(arguments: [true, false])
    func `is accepted by one of those who try at once, and the other learns of it`(
        isComplete: Bool
    ) async throws {
        let scene = try await DeliveryScene()
        try await scene.store.identity.hold(.asked, in: nil)
        let acceptance = LogAcceptance(
            isComplete: isComplete, aheadSeconds: 0, seen: LogStatus(hold: .asked))
        let other = scene.database.makePool()
        let (here, there) = (scene.store.identity, EventStore.postgres(pool: other).identity)
        async let one = here.accept(acceptance)
        async let two = there.accept(acceptance)
        let epochs = try await [one, two].compactMap { $0 }
        #expect(epochs.count == 1)
        #expect(try await scene.store.identity.look().epoch == epochs.first)
        #expect(try await scene.store.identity.accept(acceptance) == nil)
        await other.close()
    }

    @Test func `is not held by a look at another server`() async throws {
        let scene = try await DeliveryScene()
        let identity = scene.store.identity
        let run = try await identity.look().run
        try await identity.hold(.setBack, in: "another")
        #expect(try await identity.look().hold == nil)
        try await identity.hold(.setBack, in: run)
        #expect(try await identity.look().hold == .setBack)
    }

    @Test func `is held and accepted by somebody, which every tenant can read`() async throws {
        let scene = try await DeliveryScene()
        let (identity, tenant) = (scene.store.identity, scene.tenant)
        _ = try await scene.store.tenants.ensure("other")
        try await identity.hold(.asked, in: nil)
        // It was held already, so nobody did anything.
        try await identity.hold(.setBack, in: nil)
        _ = try await identity.accept(whole)
        // Nor did who accepts what is not held.
        _ = try await identity.accept(whole)
        let acts = try await scene.store.audit.list(nil, nil, 10).filter {
            $0.act.hasPrefix("log.")
        }
        #expect(
            acts.map(\.act) == ["log.accepted", "log.accepted", "log.held", "log.held"])
        #expect(Set(acts.map(\.tenant.name)) == ["acme", "other"])
        for act in acts { #expect(act.actor.hasPrefix("islet tests as database user ")) }
        let own = try await scene.store.audit.list(tenant, nil, 10).prefix(2)
        #expect(own.map(\.subject) == ["1", "1"])
        let texts = own.map { String(decoding: $0.after ?? Data(), as: UTF8.self) }
        #expect(texts == [#"{"epoch": 1, "complete": true}"#, #"{"why": "asked"}"#])
    }

    @Test func `does not hide what is ahead of the log`() async throws {
        let scene = try await DeliveryScene()
        let (pool, identity) = (scene.database.pool, scene.store.identity)
        #expect(try await identity.inconsistencies().isEmpty)
        try await pool.script("UPDATE projection_checkpoint SET position = 5")
        #expect(
            try await identity.inconsistencies()
                == [.checkpoint(tenant: "acme", position: 5, head: 1)])
        try await pool.script("UPDATE projection_checkpoint SET position = 1")
        try await pool.script("UPDATE log_head SET position = 4")
        #expect(
            try await identity.inconsistencies()
                == [.head(tenant: "acme", position: 4, last: 1)])
        try await pool.script("UPDATE log_head SET position = 1")
        try await pool.script(
            "INSERT INTO delivery_state (tenant, activity_id, last_timestamp) "
                + "VALUES (\(scene.tenant.rawValue), 'order-1', 4000000000)")
        #expect(
            try await identity.inconsistencies()
                == [.timestamp(tenant: "acme", seconds: 4_000_000_000)])
        try await pool.script("DELETE FROM delivery_state")
        try await pool.script("UPDATE log_identity SET beat_at = clock_timestamp() + '1 hour'")
        guard case .clock? = try await identity.inconsistencies().first else {
            Issue.record("a clock that is behind goes unnoticed")
            return
        }
    }

    @Test func `tells a start that was due from one that is not`() async throws {
        let scene = try await DeliveryScene()
        let pool = scene.database.pool
        let tenant = scene.tenant.rawValue
        try await pool.script(
            """
            INSERT INTO card_start (tenant, activity_id, device_id, state, due_at, put_version)
            VALUES (\(tenant), 'order-1', 1, 'waiting', 'epoch', 1),
                (\(tenant), 'order-1', 2, 'waiting', now() + interval '1 day', 1)
            """)
        _ = try await scene.store.identity.accept(restored)
        let rows = try await pool.query("SELECT state FROM card_start ORDER BY device_id")
        #expect(try rows.map { try $0.get(0, as: String.self) } == ["unknown", "waiting"])
    }
}

struct `What was sent before a restore` {
    @Test func `is no start that waits for its time, unless it may go out before that`()
        async throws
    {
        let scene = try await DeliveryScene()
        let pool = scene.database.pool
        let tenant = scene.tenant.rawValue
        try await pool.script(
            """
            INSERT INTO card_start (
                tenant, activity_id, device_id, state, due_at, reason, put_version
            )
            SELECT \(tenant), 'order-1', s.device_id, s.state, now() + interval '1 day', s.reason, 1
            FROM (VALUES (1, 'held', 'quiet-hours'), (2, 'held', 'ending'),
                (3, 'waiting', 'no-key'), (4, 'held', 'budget'), (5, 'waiting', NULL)
            ) s (device_id, state, reason)
            """)
        _ = try await scene.store.identity.accept(restored)
        let rows = try await pool.query("SELECT state FROM card_start ORDER BY device_id")
        #expect(
            try rows.map { try $0.get(0, as: String.self) }
                == ["unknown", "unknown", "unknown", "held", "waiting"])
        // The clock of the database before may have been that far ahead.
        _ = try await scene.store.identity.accept(
            LogAcceptance(isComplete: false, aheadSeconds: 100_000))
        let later = try await pool.query("SELECT DISTINCT state FROM card_start")
        #expect(try later.map { try $0.get(0, as: String.self) } == ["unknown"])
    }

    @Test func `is a start that had its answer, whose old card is still to be ended`()
        async throws
    {
        let scene = try await DeliveryScene()
        let pool = scene.database.pool
        try await pool.script(
            """
            INSERT INTO card_start (
                tenant, activity_id, device_id, lap, state, due_at, put_version, ends_registration
            ) VALUES (\(scene.tenant.rawValue), 'order-1', 1, 1, 'started', 'epoch', 1, 1)
            """)
        _ = try await scene.store.identity.accept(restored)
        let rows = try await pool.query("SELECT state, due_at IS NOT NULL FROM card_start")
        let row = try #require(rows.first)
        #expect(try row.get(0, as: String.self) == "started")
        #expect(try row.get(1, as: Bool.self))
    }

    @Test func `may have reached every phone of an audience whose time had come`() async throws {
        let scene = try await DeliveryScene()
        let pool = scene.database.pool
        let tenant = scene.tenant.rawValue
        try await pool.script(
            """
            INSERT INTO start_device (tenant, installation, bundle_id)
            VALUES (\(tenant), 'one', 'com.example');
            INSERT INTO activity_audience (tenant, activity_id, topics, due_at)
            VALUES (\(tenant), 'order-1', '{t:x}', 'epoch'),
                (\(tenant), 'order-2', '{t:x}', now() + interval '1 day');
            INSERT INTO start_token (
                tenant, device_id, kind, push_token, environment, put_at, changed_at
            )
            SELECT d.tenant, d.id, p.kind, 'aa', 'sandbox', now(), now()
            FROM start_device d, snapshot p;
            INSERT INTO start_topic (tenant, kind, topic, device_id)
            SELECT tenant, kind, 't:x', device_id FROM start_token
            """)
        _ = try await scene.store.identity.accept(restored)
        let starts = try await pool.query("SELECT activity_id, state, reason FROM card_start")
        #expect(try starts.map { try $0.text(0) } == ["order-1"])
        #expect(try starts.map { try $0.text(1) } == ["unknown"])
        #expect(try starts.map { try $0.text(2) } == ["log-restored"])
        let rows = try await pool.query(
            """
            SELECT a.due_at IS NULL, a.cursor = (SELECT max(d.id) FROM start_device d)
            FROM activity_audience a ORDER BY a.activity_id
            """)
        #expect(try rows.map { try $0.get(0, as: Bool.self) } == [true, false])
        #expect(try rows.map { try $0.get(1, as: Bool.self) } == [true, false])
    }

    @Test func `is the version of a fan-out under way to the phones that it has come past`()
        async throws
    {
        let scene = try await DeliveryScene()
        let store = scene.store
        let phones = [try await scene.register("a"), try await scene.register("b")]
        let first = try #require(try await scene.claim().first)
        try await store.deliveries.record(
            first, phones.map { scene.result($0, .accepted(version: 1)) })
        try await store.deliveries.complete(first, scene.outcome(1))
        try await scene.change(.timely)
        let second = try #require(try await scene.claim(after: 1).first)
        let implied = PhoneResult(
            registrationID: phones[0], tokenVersion: 1, effect: .accepted(version: 2),
            needsNoWrite: true)
        try await store.deliveries.record(second, [implied])
        _ = try await store.identity.accept(restored)
        let rows = try await scene.database.pool.query(
            "SELECT sent_version, accepted_at IS NOT NULL FROM registration ORDER BY id")
        #expect(try rows.map { try $0.get(0, as: Int64.self) } == [2, 1])
        // When the first phone had its push only the ledger says.
        #expect(try rows.map { try $0.get(1, as: Bool.self) } == [false, true])
    }

    @Test func `is the newest state once more to a phone whose last push was given up`()
        async throws
    {
        let scene = try await DeliveryScene()
        let store = scene.store
        let phone = try await scene.register("a")
        let claim = try #require(try await scene.claim().first)
        try await store.deliveries.record(
            claim, [scene.result(phone, .givenUp(reason: "PayloadTooLarge"))])
        try await store.deliveries.complete(claim, scene.outcome(1))
        _ = try await store.identity.accept(restored)
        let rows = try await scene.database.pool.query(
            "SELECT retry_at IS NOT NULL FROM registration WHERE given_up_at IS NOT NULL")
        #expect(try rows.map { try $0.get(0, as: Bool.self) } == [true])
    }
}

extension Pool {
    fileprivate func script(_ sql: String) async throws {
        try await withConnection { (connection) async throws(PostgresError) in
            try await connection.script(sql)
        }
    }
}
