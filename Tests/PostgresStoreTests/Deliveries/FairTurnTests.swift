import Domain
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

/// One tenant has much to be folded and sent, and another has little.
struct FairTurnTests {
    private let database: TestDatabase
    private let store: EventStore
    private let greedy: TenantID
    private let small: TenantID

    init() async throws {
        database = try await TestDatabase.make()
        store = database.store
        greedy = try await store.tenants.ensure("greedy").id
        small = try await store.tenants.ensure("small").id
    }

    private func report(_ tenant: TenantID, _ count: Int) async throws {
        _ = try await store.log.append(
            tenant, (1...count).map { Samples.event("\($0)", "order-\($0)") })
    }

    @Test(.timeLimit(.minutes(1)))
    func `a single event does not wait for another tenant's thousand`() async throws {
        try await report(greedy, 1)
        try await report(small, 1)
        let blocker = try await database.pool.openDedicated()
        try await blocker.script(
            "BEGIN; SELECT FROM log_head WHERE tenant = \(greedy.rawValue) FOR UPDATE")
        async let many = store.log.append(
            greedy, (0..<1_000).map { Samples.event("many/\($0)", "order-\($0 % 9)") })
        try await database.waitForLock()
        // Its own next one has to, since it comes after them.
        async let next = store.log.append(greedy, [Samples.event("next", "order-1")])
        for id in 0..<20 {
            let outcomes = try await store.log.append(
                small, [Samples.event("one/\(id)", "order-1")])
            #expect(outcomes == [.recorded(position: Int64(id) + 2, version: Int64(id) + 2)])
        }
        #expect(try await store.log.head(greedy) == 1)
        try await blocker.script("COMMIT")
        let last = try await many.last
        #expect(last == .recorded(position: 1_001, version: 112))
        let after = try await next
        #expect(after == [.recorded(position: 1_002, version: 113)])
        await blocker.close()
    }

    @Test func `folding goes round the tenants`() async throws {
        try await report(greedy, 900)
        for _ in 0..<2 {
            _ = try await store.projections.foldNext(nil, 100) { Samples.fold($0, .hold) }
        }
        try await report(small, 1)
        // The next batch may be the other's, and not the one after it.
        for _ in 0..<2 {
            _ = try await store.projections.foldNext(nil, 100) { Samples.fold($0, .hold) }
        }
        #expect(try await store.projections.checkpoint(small) == 1)
        #expect(try await store.projections.checkpoint(greedy) < 900)
    }

    @Test func `claims go round the tenants, no matter who looks for them`() async throws {
        try await report(greedy, 50)
        try await report(small, 2)
        try await Samples.foldAll(store)
        let now = Moment(Date()).adding(seconds: 5)
        let claims = try await store.deliveries.claimNext(6, .all, now)
        #expect(claims.count == 6)
        #expect(claims.count { $0.tenant == small } == 2)
    }

    @Test func `claims of what was just decided go round the tenants too`() async throws {
        let now = Moment(Date()).adding(seconds: 5)
        // From the first time on that somebody asks.
        #expect(try await store.deliveries.claimNext(6, .hinted, now).isEmpty)
        try await report(greedy, 50)
        try await Samples.foldAll(store)
        try await report(small, 2)
        try await Samples.foldAll(store)
        let claims = try await store.deliveries.claimNext(6, .hinted, now)
        #expect(claims.count == 6)
        #expect(claims.count { $0.tenant == small } == 2)
    }

    @Test func `one tenant's questions leave connections to others`() async throws {
        let pool = database.makePool(connectionsMax: 4)
        let finished = Finished()
        let questions = (0..<8).map { number in
            Task {
                _ = try await pool.batch(
                    [Statement("SELECT pg_sleep(0.4)", [])], for: greedy.rawValue)
                await finished.note(number)
            }
        }
        try await Task.sleep(for: .milliseconds(150))
        let started = ContinuousClock.now
        _ = try await pool.batch([Statement("SELECT 1", [])], for: small.rawValue)
        #expect(ContinuousClock.now - started < .milliseconds(200))
        #expect(await finished.count == 0)
        for question in questions { try await question.value }
        #expect(await finished.count == 8)
        await pool.close()
    }

    @Test func `what a log takes up is known from a sample, and measured once`() async throws {
        try await report(greedy, 900)
        try await report(small, 2)
        #expect(try await store.tenants.usage(false)[greedy] == TenantUsage(events: 900, bytes: 0))
        let first = try await store.tenants.usage(true)
        let rows = try await database.pool.query(
            "SELECT sum(pg_column_size(e.*))::int8 FROM event e WHERE tenant = $1",
            [.int4(greedy.rawValue)])
        let exact = try #require(rows.first).get(0, as: Int64.self)
        let found = try #require(first[greedy])
        #expect(found.events == 900)
        #expect(abs(found.bytes - exact) * 20 < exact, "\(found.bytes) of \(exact)")
        #expect(first[small]?.events == 2)
        #expect(try await store.tenants.usage(true) == first)
        _ = try await store.log.append(small, [Samples.event("3")])
        let second = try await store.tenants.usage(true)
        #expect(second[greedy] == first[greedy])
        #expect(second[small]?.events == 3)
        #expect((second[small]?.bytes ?? 0) > (first[small]?.bytes ?? 0))
    }
}

private actor Finished {
    private(set) var count = 0

    func note(_ number: Int) { count += 1 }
}
