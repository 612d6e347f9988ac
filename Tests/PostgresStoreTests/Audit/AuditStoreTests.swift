import Domain
import EventStore
import Postgres
import PostgresStore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1)))
struct `What administrators do` {
    @Test func `is written down with the name of the one who does it`() async throws {
        let database = try await TestDatabase.make()
        let store = database.store
        let tenant = try await Operator.$current.withValue("key 7") {
            try await store.tenants.ensure("acme")
        }
        _ = try await store.tenants.createKey(
            NewAPIKey(
                tenant: tenant.id, sha256: [UInt8](repeating: 1, count: 32), scopes: [.admin]))
        let acts = try await store.audit.list(nil, nil, 10)
        #expect(acts.map(\.act) == ["key.created", "tenant.created"])
        #expect(acts[1].actor == "key 7" && acts[1].tenant == tenant)
        #expect(acts[0].actor.hasPrefix("islet tests as database user "))
        #expect(try await store.audit.list(tenant.id, acts[0].id, 10) == [acts[1]])
        #expect(try await store.audit.list(TenantID(rawValue: 99), nil, 10).isEmpty)
    }

    @Test func `comes in pages that end after so many bytes`() async throws {
        let database = try await TestDatabase.make()
        let store = database.store
        let tenant = try await store.tenants.ensure("acme").id
        _ = try await database.pool.query(
            """
            INSERT INTO audit_entry (tenant, actor, act, subject, after)
            SELECT $1, 'key 1', 'policy.put', 'Match',
                jsonb_build_object('document', repeat('x', 1000))
            FROM generate_series(1, 9)
            """, [.int4(tenant.rawValue)])
        var (before, sizes): (Int64?, [Int]) = (nil, [])
        var found: [AuditEntry] = []
        while true {
            let page = try await store.audit.page(of: tenant, before, 6, bytesMax: 3_500)
            sizes.append(page.acts.count)
            found += page.acts
            before = page.acts.last?.id
            if page.isEnd { break }
        }
        #expect(sizes == [4, 4, 2])
        #expect(try await store.audit.list(tenant, nil, 100) == found)
        let whole = try await store.audit.page(of: tenant, nil, 6, bytesMax: 1_000_000)
        #expect(whole.acts.count == 6 && !whole.isEnd)
        #expect(try await store.audit.page(of: tenant, 1, 6, bytesMax: 10).isEnd)
    }

    /// The owner of the tables could drop the trigger; by accident or habit nobody does.
    @Test(arguments: [
        "UPDATE audit_entry SET actor = 'nobody'", "DELETE FROM audit_entry",
        "TRUNCATE audit_entry",
    ])
    func `is never changed or removed`(statement: String) async throws {
        let database = try await TestDatabase.make()
        _ = try await database.store.tenants.ensure("acme")
        await #expect(throws: PostgresError.self) { try await database.pool.query(statement) }
        #expect(try await database.store.audit.list(nil, nil, 10).count == 1)
    }

    @Test func `stays known of a tenant that is removed, and so does its removal`() async throws {
        let database = try await TestDatabase.make()
        let store = database.store
        let tenant = try await store.tenants.ensure("acme")
        let other = try await store.tenants.ensure("bakery")
        #expect(try await store.audit.named("acme").here == [tenant.id])
        while try await store.retention.remove(tenant.id) > 0 {}
        let acts = try await store.audit.list(nil, nil, 10)
        #expect(acts.map(\.act) == ["tenant.removed", "tenant.created", "tenant.created"])
        #expect(acts.map(\.tenant) == [tenant, other, tenant])
        let removed = try await store.audit.named("acme")
        #expect(removed.here == [tenant.id] && removed.cell == nil)
        #expect(try await store.audit.list(tenant.id, nil, 10) == [acts[0], acts[2]])
        // Another one of that name is another tenant.
        let next = try await store.tenants.ensure("acme")
        #expect(try await store.audit.list(next.id, nil, 10).map(\.act) == ["tenant.created"])
        // And of a name all are found that had it, the newest acts first.
        let named = try await store.audit.named("acme")
        #expect(Set(named.here) == [tenant.id, next.id] && named.cell == nil)
        let all = try await store.audit.list(of: named.here, nil, 10)
        #expect(all.map(\.tenant) == [next, tenant, tenant])
        #expect(all.map(\.act) == ["tenant.created", "tenant.removed", "tenant.created"])
        #expect(try await store.audit.list(of: named.here, nil, 2) == Array(all.prefix(2)))
        #expect(try await store.audit.list(of: named.here, all[0].id, 10) == Array(all.dropFirst()))
        #expect(try await store.audit.list(of: [], nil, 10).isEmpty)
    }

    @Test func `goes with a tenant that moves, and the name says where to`() async throws {
        let database = try await TestDatabase.make()
        _ = try await database.pool.query("INSERT INTO cell (name) VALUES ('eu2')")
        _ = try await database.pool.query(
            "INSERT INTO departed_tenant (tenant, name, cell) VALUES (7, 'acme', 'eu2')")
        let moved = try await database.store.audit.named("acme")
        #expect(moved.here.isEmpty && moved.cell == "eu2")
        let unknown = try await database.store.audit.named("bakery")
        #expect(unknown.here.isEmpty && unknown.cell == nil)
    }

    @Test func `is not written down when it is not done`() async throws {
        let database = try await TestDatabase.make()
        let tenant = try await database.store.tenants.ensure("acme")
        let letter = DeadLetter.ID(carrier: .push, number: 1)
        #expect(try await !database.store.deadLetters.dismiss(tenant.id, letter))
        #expect(try await database.store.tenants.revokeKey(17) == nil)
        _ = try await database.store.tenants.ensure("acme")
        #expect(try await database.store.audit.list(nil, nil, 10).map(\.act) == ["tenant.created"])
    }
}

@Suite(.timeLimit(.minutes(1)))
struct `Figures of minutes` {
    private static let minute = Moment(unixSeconds: 1_800_000_000)

    @Test func `add up from all nodes, and of the lag the worst counts`() async throws {
        let store = try await TestDatabase.make().store
        let tenant = try await store.tenants.ensure("acme").id
        for lag in [700, 200] {
            let counts = SeriesCounts(["events": 5, SeriesCounts.lag: Int64(lag)])
            let rows = [0, 60, 3_600].map {
                SeriesRow(
                    tenant: tenant, minute: Self.minute.adding(seconds: $0), counts: counts)
            }
            try await store.series.add(rows)
        }
        let minutes = try await store.series.read(tenant, Self.minute, 60)
        #expect(minutes.map(\.minute) == [0, 60, 3_600].map { Self.minute.adding(seconds: $0) })
        #expect(minutes.allSatisfy { $0.counts["events"] == 10 && $0.counts["lagMillis"] == 700 })
        let hours = try await store.series.read(tenant, Self.minute, 3_600)
        #expect(hours.map { $0.counts["events"] } == [20, 10])
        #expect(try await store.series.read(TenantID(rawValue: 9), Self.minute, 60).isEmpty)
    }

    @Test func `go after fifteen days`() async throws {
        let store = try await TestDatabase.make().store
        let tenant = try await store.tenants.ensure("acme").id
        let rows = [0, 86_400].map {
            SeriesRow(
                tenant: tenant, minute: Self.minute.adding(seconds: $0),
                counts: SeriesCounts(["events": 1]))
        }
        try await store.series.add(rows)
        try await store.series.prune(Self.minute.adding(seconds: 15 * 86_400 + 1))
        #expect(try await store.series.read(tenant, Self.minute, 60).count == 1)
    }

    @Test func `are kept while nothing can be written, up to a bound`() {
        let time = Self.minute
        let counter = SeriesCounter(now: { time })
        for tenant in 1...10_100 {
            counter.note(TenantID(rawValue: Int32(tenant))) { $0.add(1, SeriesCounts.events) }
        }
        let taken = counter.take()
        #expect(taken.count == 10_000)
        counter.giveBack(taken)
        counter.note(TenantID(rawValue: 1)) { $0.add(2, SeriesCounts.events) }
        let again = counter.take()
        #expect(again.count == 10_000 && counter.take().isEmpty)
        #expect(again.reduce(0) { $0 + $1.counts[SeriesCounts.events] } == 10_002)
    }

    @Test func `tell latencies to a quarter`() {
        var counts = SeriesCounts()
        #expect(counts.latency(share: 0.5) == nil)
        for millis in 1...1_000 { counts.add(latencySeconds: Double(millis) / 1_000) }
        let (half, most) = (counts.latency(share: 0.5) ?? 0, counts.latency(share: 0.99) ?? 0)
        #expect((0.5...0.625).contains(half) && (0.99...1.24).contains(most), "\(half) \(most)")
        counts.add(latencySeconds: .infinity)
        counts.add(latencySeconds: -1)
        #expect((counts.latency(share: 1) ?? 0) > 3_600)
        // As nobody but a hand can have written them.
        #expect(SeriesCounts(["latency:1": .max, "latency:2": .max]).latency(share: 1) != nil)
    }
}
