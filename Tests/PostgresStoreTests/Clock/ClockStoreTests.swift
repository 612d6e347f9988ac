import Domain
import EventStore
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// Two tenants with activities that are due some seconds after `Samples.time`.
private struct DueScene {
    let database: TestDatabase
    let tenant: TenantID
    let other: TenantID

    var clock: any ClockStore { database.store.clock }

    init() async throws {
        database = try await TestDatabase.make()
        tenant = try await database.store.tenants.ensure("acme").id
        other = try await database.store.tenants.ensure("other").id
    }

    func at(_ seconds: Double) -> Moment { Samples.time.adding(seconds: seconds) }

    func append(_ activity: String, of owner: TenantID? = nil) async throws {
        let owner = owner ?? tenant
        let head = try await database.store.log.head(owner)
        _ = try await database.store.log.append(owner, [Samples.event("\(head + 1)", activity)])
    }

    /// Folds everything; activities that are not named are never due.
    func fold(_ due: [String: Double]) async throws {
        let fold: @Sendable (FoldBatch) -> FoldResult = { batch in
            var outcome = Samples.fold(batch, .hold)
            for index in outcome.snapshots.indices {
                let seconds = due[outcome.snapshots[index].activityID.rawValue]
                outcome.snapshots[index].dueAt = seconds.map { Samples.time.adding(seconds: $0) }
            }
            return outcome
        }
        while try await database.store.projections.foldNext(nil, 100, fold) != nil {}
    }

    /// Of each: its tenant and its name.
    func due(_ seconds: Double) async throws -> [String] {
        try await clock.due(at(seconds), nil, 100).map {
            "\($0.place.tenant == tenant ? "acme" : "other") \($0.place.activityID.rawValue)"
        }
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `The store of due times` {
    @Test func `gives what is due by now in order of time, tenant and name`() async throws {
        let scene = try await DueScene()
        for activity in ["c", "a", "late", "b", "never"] { try await scene.append(activity) }
        try await scene.append("a", of: scene.other)
        try await scene.fold(["a": 10, "b": 5, "c": 10, "late": 11])
        #expect(try await scene.due(10) == ["acme b", "acme a", "acme c", "other a"])
        #expect(try await scene.due(4.9).isEmpty)
        let first = try #require(try await scene.clock.due(scene.at(10), nil, 1).first)
        #expect(first.place.dueAt == scene.at(5))
        #expect(first.snapshot.dueAt == scene.at(5))
        #expect(first.streamVersion == 1)
        #expect(try await scene.clock.nextDue(scene.at(0)) == scene.at(5))
        #expect(try await scene.clock.nextDue(scene.at(5)) == scene.at(10))
        #expect(try await scene.clock.nextDue(scene.at(11)) == nil)
    }

    @Test func `says what the database's clock says`() async throws {
        let scene = try await DueScene()
        let before = try await scene.database.store.deliveries.time()
        let time = try await scene.database.store.time()
        let after = try await scene.database.store.deliveries.time()
        #expect(before <= time && time <= after)
    }

    @Test func `goes on after a place without a gap, though several are due at once`()
        async throws
    {
        let scene = try await DueScene()
        for activity in ["a", "b", "c"] {
            try await scene.append(activity)
            try await scene.append(activity, of: scene.other)
        }
        try await scene.fold(["a": 10, "b": 10, "c": 5])
        let all = try await scene.clock.due(scene.at(10), nil, 100).map(\.place)
        #expect(all.count == 6)
        var paged: [DueActivity.Place] = []
        for _ in 0..<4 {
            let page = try await scene.clock.due(scene.at(10), paged.last, 2)
            #expect(page.count == min(2, all.count - paged.count))
            paged += page.map(\.place)
        }
        #expect(paged == all)
    }

    @Test func `gives what the live generation has, while another is built`() async throws {
        let scene = try await DueScene()
        try await scene.append("a")
        try await scene.fold(["a": 10])
        let rebuilds = scene.database.store.rebuilds
        _ = try await rebuilds.begin(scene.tenant, "test", ["Sample": 1])
        let session = try #require(try await rebuilds.take(nil, ["Sample": 1]))
        var snapshots = try await scene.database.store.snapshots(of: scene.tenant)
        snapshots[0].dueAt = scene.at(5)
        #expect(try await session.write(RebuiltPart(snapshots: snapshots, parked: []), 1))
        await session.release()
        #expect(try await scene.due(9).isEmpty)
        #expect(try await scene.due(10) == ["acme a"])
        #expect(try await scene.clock.nextDue(scene.at(0)) == scene.at(10))
    }

    @Test func `leaves an activity out while an event of it is yet to be folded`() async throws {
        let scene = try await DueScene()
        for activity in ["a", "b"] { try await scene.append(activity) }
        try await scene.fold(["a": 5, "b": 10])
        try await scene.append("a")
        #expect(try await scene.due(20) == ["acme b"])
        #expect(try await scene.clock.nextDue(scene.at(0)) == scene.at(10))
        try await scene.fold(["a": 7])
        #expect(try await scene.due(20) == ["acme a", "acme b"])
        #expect(try await scene.clock.nextDue(scene.at(0)) == scene.at(7))
        let due = try await scene.clock.due(scene.at(20), nil, 10)
        #expect(due.map(\.streamVersion) == [2, 1])
    }

    @Test func `leaves a tenant out whose past is recorded, until nothing has moved for long`()
        async throws
    {
        let scene = try await DueScene()
        _ = try await EventImport.postgres(scene.database.pool).record(
            scene.tenant,
            [ImportedEvent(recordedAt: Samples.time, event: Samples.event("1", "a"))])
        try await scene.append("a", of: scene.other)
        try await scene.fold(["a": 5])
        #expect(try await scene.due(20) == ["other a"])
        _ = try await scene.database.pool.query(
            """
            UPDATE projection_checkpoint SET moved_at = clock_timestamp() - interval '61 seconds'
            WHERE tenant = $1
            """, [.tenant(scene.tenant)])
        #expect(try await scene.due(20) == ["acme a", "other a"])
    }

    @Test func `asks nothing about what is due of a tenant whose past is recorded`() async throws {
        let scene = try await DueScene()
        let pool = scene.database.pool
        _ = try await EventImport.postgres(pool).record(
            scene.tenant,
            [ImportedEvent(recordedAt: Samples.time, event: Samples.event("1", "past"))])
        try await scene.append("a", of: scene.other)
        try await scene.fold(["a": 10])
        _ = try await pool.query(
            """
            INSERT INTO snapshot (tenant, activity_id, kind, version, position, phase, folded,
                updated_at, due_at)
            SELECT $1, 'order-' || n, 'Sample', 1, 1, 'live', ''::bytea, now(), $2
            FROM generate_series(1, 3000) AS n
            """, [.tenant(scene.tenant), .moment(scene.at(5))])
        #expect(try await scene.due(20) == ["other a"])
        #expect(try await scene.clock.nextDue(scene.at(0)) == scene.at(10))
        let session = try await pool.openDedicated()
        try await session.script(
            "PREPARE due AS \(PostgresClockStore.due); PREPARE next AS \(PostgresClockStore.next)")
        for question in ["due (now(), NULL, NULL, NULL, 100)", "next ('epoch')"] {
            let rows = try await session.query("EXPLAIN (ANALYZE) EXECUTE \(question)")
            let plan = try rows.map { try $0.get(0, as: String.self) }.joined(separator: "\n")
            let loops = plan.matches(of: /loops=(\d+)/).compactMap { Int($0.1) }
            let most = try #require(loops.max(), "\(plan)")
            #expect(most < 100, "\(plan)")
        }
        await session.close()
    }

    @Test func `corrects times of one tenant, and none of a snapshot that has changed`()
        async throws
    {
        let scene = try await DueScene()
        for activity in ["a", "b", "c"] {
            try await scene.append(activity)
            try await scene.append(activity, of: scene.other)
        }
        try await scene.fold(["a": 5, "b": 5, "c": 5])
        let found = try await scene.clock.due(scene.at(5), nil, 100)
            .filter { $0.place.tenant == scene.tenant }
        #expect(found.map(\.place.activityID.rawValue) == ["a", "b", "c"])
        try await scene.append("b")
        try await scene.fold(["b": 6])
        let wanted = ["a": scene.at(50), "b": scene.at(50)]
        try await scene.clock.correct(
            found.map { activity in
                var corrected = activity
                corrected.snapshot.dueAt = wanted[activity.place.activityID.rawValue]
                return corrected
            })
        let store = scene.database.store
        #expect(
            try await store.snapshots(of: scene.tenant).map(\.dueAt)
                == [scene.at(50), scene.at(6), nil])
        #expect(
            try await store.snapshots(of: scene.other).map(\.dueAt)
                == [scene.at(5), scene.at(5), scene.at(5)])
        #expect(try await scene.due(6) == ["other a", "other b", "other c", "acme b"])
    }
}
