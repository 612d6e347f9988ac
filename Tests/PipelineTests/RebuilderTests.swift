import Domain
import EventStore
import Foundation
import Pipeline
import Postgres
import Projections
import StoreTestSupport
import TestSupport
import Testing

struct RebuilderTests {
    private let database: TestDatabase
    private let tenant: TenantID
    private var store: EventStore { database.store }

    init() async throws {
        database = try await TestDatabase.make()
        tenant = try await database.store.tenants.ensure("acme").id
    }

    // MARK: A log with several activities

    private func event(
        _ order: Int, _ step: Int, _ type: String, _ data: String
    ) -> NewEvent {
        NewEvent(
            id: "\(order)/\(step)", source: "/kitchen", type: "PizzaDelivery.\(type)",
            activityID: ActivityID(rawValue: "order-\(order)"),
            occurredAt: Moment(unixSeconds: 1_700_000_000 + Int64(step) * 60),
            data: Data(data.utf8))
    }

    private func order(_ number: Int) -> [NewEvent] {
        [
            event(
                number, 1, "OrderPlaced",
                #"{"orderNumber":"\#(number)","numberOfPizzas":2,"totalAmount":"$3","#
                    + #""promisedAt":"2023-11-14T22:40:00Z"}"#),
            event(number, 2, "DriverAssigned", #"{"driverName":"Ada"}"#),
            event(number, 3, "DriverLocated", #"{"distanceMeters":\#(number)}"#),
            event(number, 4, "OrderDelivered", "{}"),
        ]
    }

    /// Orders side by side, step by step.
    private func append(_ orders: Range<Int>) async throws {
        for step in 0..<4 {
            _ = try await store.log.append(tenant, orders.map { order($0)[step] })
        }
    }

    private func foldAll() async throws {
        while try await store.projections.foldNext(nil, 100, BatchFolder.fold) != nil {}
    }

    /// Snapshots and ledger; nothing of them may change by a rebuild.
    private func contents() async throws -> [String] {
        try await database.unpack()
        let rows = try await database.pool.query(
            """
            SELECT to_jsonb(s) - 'generation' || jsonb_build_object(
                'bytes', state::text || attributes::text || content_state::text || dispatch::text
            )::jsonb FROM snapshot s WHERE generation = live_generation(tenant)
            UNION ALL SELECT to_jsonb(d) FROM decision d
            UNION ALL SELECT to_jsonb(p) - 'generation' - 'parked_at' FROM parked_event p
                WHERE generation = live_generation(tenant)
            ORDER BY 1
            """)
        return try rows.map { String(decoding: try $0.get(0, as: Data.self), as: UTF8.self) }
    }

    private func generations() async throws -> [Int32] {
        try await database.pool.query("SELECT DISTINCT generation FROM snapshot ORDER BY 1")
            .map { try $0.get(0) }
    }

    private func rebuild(_ store: EventStore? = nil) async throws -> Rebuilder.End? {
        let store = store ?? self.store
        guard
            let session = try await store.rebuilds.take(nil, ActivityCatalog.standard.foldVersions)
        else {
            return nil
        }
        return try await Rebuilder(store: store) { _ in }.work(session) { _ in }
    }

    // MARK: Tests

    @Test func `a rebuild gives equal bytes, changes no decision and drops the old generation`()
        async throws
    {
        try await append(0..<30)
        try await foldAll()
        let before = try await contents()
        #expect(before.count == 30 + 120)
        _ = try await store.rebuilds.begin(tenant, "test", ActivityCatalog.standard.foldVersions)
        #expect(try await rebuild() == .finished)
        #expect(try await contents() == before)
        #expect(try await generations() == [2])
        #expect(try await store.rebuilds.list().isEmpty)
        #expect(try await store.projections.checkpoint(tenant) == 120)
        // And once more, with folding going on afterwards.
        _ = try await store.rebuilds.begin(tenant, "again", ActivityCatalog.standard.foldVersions)
        #expect(try await rebuild() == .finished)
        try await append(30..<31)
        try await foldAll()
        #expect(try await contents().count == 31 + 124)
        #expect(try await generations() == [3])
    }

    @Test func `while events come and are folded a rebuild misses none and repeats none`()
        async throws
    {
        try await append(0..<200)
        try await foldAll()
        _ = try await store.rebuilds.begin(tenant, "test", ActivityCatalog.standard.foldVersions)
        async let outcome = rebuild()
        for number in 200..<260 {
            try await append(number..<(number + 1))
            try await foldAll()
        }
        #expect(try await outcome == .finished)
        try await append(300..<310)
        try await foldAll()
        let after = try await contents()
        #expect(after.count == 270 + 4 * 270)
        _ = try await store.rebuilds.begin(
            tenant, "to compare", ActivityCatalog.standard.foldVersions)
        #expect(try await rebuild() == .finished)
        #expect(try await contents() == after)
    }

    @Test func `only one works on a rebuild, and who dies leaves it to another`() async throws {
        try await append(0..<10)
        try await foldAll()
        let before = try await contents()
        _ = try await store.rebuilds.begin(tenant, "test", ActivityCatalog.standard.foldVersions)
        let first = try #require(
            try await store.rebuilds.take(nil, ActivityCatalog.standard.foldVersions))
        #expect(try await store.rebuilds.take(nil, ActivityCatalog.standard.foldVersions) == nil)
        // Folds a part, commits it and is gone.
        let events = try await store.log.read(tenant, 0, 17)
        var halfway = RebuiltPart(snapshots: [], parked: [])
        for event in events where event.version == 1 {
            halfway.snapshots.append(
                try refolded(
                    events.filter {
                        $0.event.activityID == event.event.activityID
                    }))
        }
        #expect(try await first.write(halfway, 17))
        await first.release()
        let progress = try #require(try await store.rebuilds.list().first)
        #expect(progress.position == 17)
        #expect(progress.target == 40)
        #expect(try await rebuild() == .finished)
        #expect(try await contents() == before)
    }

    private func refolded(_ events: [RecordedEvent]) throws -> Snapshot {
        let batch = FoldBatch(tenant: tenant, events: events, snapshots: [:])
        return try #require(BatchFolder.fold(batch).snapshots.first)
    }

    @Test func `a paused rebuild waits, a cancelled one leaves nothing`() async throws {
        try await append(0..<5)
        try await foldAll()
        let before = try await contents()
        _ = try await store.rebuilds.begin(tenant, "test", ActivityCatalog.standard.foldVersions)
        #expect(
            try await store.rebuilds.begin(tenant, "twice", ActivityCatalog.standard.foldVersions)
                .reason
                == "test")
        #expect(try await store.rebuilds.setPaused(tenant, true))
        #expect(try await rebuild() == nil)
        #expect(try await store.rebuilds.setPaused(tenant, false))
        // Paused while somebody works on it: noticed at the next commit.
        let session = try #require(
            try await store.rebuilds.take(tenant, ActivityCatalog.standard.foldVersions))
        #expect(try await store.rebuilds.setPaused(tenant, true))
        #expect(
            try await Rebuilder(store: store) { _ in }.work(session) { _ in } == .paused)
        #expect(try await generations() == [1, 2])
        #expect(try await store.rebuilds.cancel(tenant))
        #expect(try await generations() == [1])
        #expect(try await contents() == before)
        #expect(try await !store.rebuilds.cancel(tenant))
        #expect(try await !store.rebuilds.setPaused(tenant, true))
        // What was cancelled is not mistaken for what comes.
        #expect(
            try await store.rebuilds.begin(tenant, "anew", ActivityCatalog.standard.foldVersions)
                .position
                == 0)
    }

    @Test func `what cannot be folded is parked again, what was skipped stays out`() async throws {
        var odd = order(1)
        odd[2].data = Data("[]".utf8)
        _ = try await store.log.append(tenant, order(0) + odd + order(2))
        try await foldAll()
        let before = try await contents()
        #expect(before.count == 15)
        _ = try await store.rebuilds.begin(tenant, "test", ActivityCatalog.standard.foldVersions)
        #expect(try await rebuild() == .finished)
        #expect(try await contents() == before)
        _ = try await database.pool.query(
            "UPDATE parked_event SET is_skipped = true WHERE position = 7")
        _ = try await store.rebuilds.begin(
            tenant, "without it", ActivityCatalog.standard.foldVersions)
        #expect(try await rebuild() == .finished)
        let snapshot = try await store.projections.snapshot(tenant, ActivityID(rawValue: "order-1"))
        #expect(snapshot?.blockage == nil)
        #expect(snapshot?.version == 4)
        let parked = try await database.pool.query("SELECT position, is_skipped FROM parked_event")
        #expect(try parked.map { try $0.get(0, as: Int64.self) } == [7])
    }

    @Test func `what a dead node has left behind keeps no rebuild from its end`() async throws {
        var odd = order(1)
        odd[2].data = Data("[]".utf8)
        _ = try await store.log.append(tenant, order(0) + odd)
        try await foldAll()
        #expect(try await Repair(store, tenant: tenant).skip(7).result?.remaining == 0)
        let before = try await contents()
        // As it is between the commit of a rebuild and the removal of the generation before.
        let leftover = """
            INSERT INTO parked_event (tenant, generation, position, activity_id, reason, is_skipped)
            SELECT tenant, 0, position, activity_id, 'older', true FROM parked_event
            """
        _ = try await database.pool.query(leftover)
        _ = try await database.pool.query(
            "INSERT INTO snapshot SELECT (jsonb_populate_record(s, '{\"generation\": 0}')).* "
                + "FROM snapshot s")
        let versions = ActivityCatalog.standard.foldVersions
        _ = try await store.rebuilds.begin(tenant, "test", versions)
        let session = try #require(try await store.rebuilds.take(nil, versions))
        #expect(try await generations() == [1])
        let parked = try await database.pool.query("SELECT generation FROM parked_event")
        #expect(try parked.map { try $0.get(0, as: Int32.self) } == [1])
        // By a program that does not look for it.
        _ = try await database.pool.query(leftover)
        #expect(try await Rebuilder(store: store) { _ in }.work(session) { _ in } == .finished)
        #expect(try await contents() == before)
    }

    @Test(arguments: [true, false])
    func `what is skipped while a rebuild is under way stays out`(isPaused: Bool) async throws {
        var odd = order(1)
        odd[2].data = Data("[]".utf8)
        _ = try await store.log.append(tenant, order(0) + odd)
        try await foldAll()
        _ = try await store.rebuilds.begin(tenant, "test", ActivityCatalog.standard.foldVersions)
        let session = try #require(
            try await store.rebuilds.take(nil, ActivityCatalog.standard.foldVersions))
        let rebuilder = Rebuilder(store: store) { _ in }
        if isPaused {
            #expect(try await store.rebuilds.setPaused(tenant, true))
            #expect(try await rebuilder.work(session) { _ in } == .paused)
        }
        let skipped = try await Repair(store, tenant: tenant).skip(7)
        #expect(skipped.result?.remaining == 0)
        let before = try await contents()
        if isPaused {
            #expect(try await store.rebuilds.setPaused(tenant, false))
            #expect(try await rebuild() == .finished)
        } else {
            #expect(try await rebuilder.work(session) { _ in } == .finished)
        }
        #expect(try await contents() == before)
        #expect(try await generations() == [2])
    }

    @Test(arguments: [true, false])
    func `what an older program has begun a newer one begins again`(isOwned: Bool) async throws {
        try await append(0..<10)
        try await foldAll()
        let before = try await contents()
        let older = ActivityCatalog.standard.foldVersions.mapValues { $0 - 1 }
        let begun = try await store.rebuilds.begin(tenant, "test", older)
        let session = try #require(try await store.rebuilds.take(nil, older))
        let first = try await store.log.read(tenant, 0, 1)
        var wrong = try refolded(first)
        wrong.foldVersion -= 1
        wrong.state = Data(#"{"of":"another time"}"#.utf8)
        #expect(try await session.write(RebuiltPart(snapshots: [wrong], parked: []), 17))
        if isOwned {
            let anew = try await store.rebuilds.begin(
                tenant, "a fold has changed", ActivityCatalog.standard.foldVersions)
            #expect(anew.position == 0)
            #expect(anew.generation > begun.generation)
            // The older program finds out when it next writes.
            let nothing = RebuiltPart(snapshots: [], parked: [])
            #expect(try await !session.write(nothing, 18))
            #expect(try await store.rebuilds.take(nil, older) == nil)
        }
        await session.release()
        #expect(try await rebuild() == .finished)
        #expect(try await contents() == before)
    }

    @Test func `an older program leaves a newer one's rebuild alone`() async throws {
        try await append(0..<1)
        try await foldAll()
        let newer = ActivityCatalog.standard.foldVersions.mapValues { $0 + 1 }
        _ = try await store.rebuilds.begin(tenant, "test", newer)
        #expect(try await rebuild() == nil)
        let stands = try await store.rebuilds.begin(
            tenant, "again", ActivityCatalog.standard.foldVersions)
        #expect(stands.reason == "test")
        #expect(
            stands.newerKinds(than: ActivityCatalog.standard.foldVersions) == newer.keys.sorted())
        #expect(stands.newerKinds(than: newer).isEmpty)
    }

    @Test func `an event of another kind is parked alone, as it was`() async throws {
        var foreign = order(0)[2]
        foreign.id = "foreign"
        foreign.type = "BikeRide.BikeUnlocked"
        foreign.data = Data(#"{"orderNumber":7}"#.utf8)
        _ = try await store.log.append(
            tenant, [order(0)[0], foreign, order(0)[1], order(0)[2], order(0)[3]])
        try await foldAll()
        let before = try await contents()
        #expect(before.count == 1 + 4 + 1)
        _ = try await store.rebuilds.begin(tenant, "test", ActivityCatalog.standard.foldVersions)
        #expect(try await rebuild() == .finished)
        #expect(try await contents() == before)
    }

    @Test func `snapshots of an older fold are found and rebuilt`() async throws {
        try await append(0..<3)
        try await foldAll()
        let before = try await contents()
        let rebuilder = Rebuilder(store: store) { _ in }
        try await rebuilder.beginOutdated()
        #expect(try await store.rebuilds.list().isEmpty)
        try await database.alter(
            """
            UPDATE snapshot SET fold_version = 0, state = '{}' WHERE activity_id = 'order-1'
            """)
        try await rebuilder.beginOutdated()
        #expect(try await store.rebuilds.list().map(\.tenant.id) == [tenant])
        #expect(try await rebuild() == .finished)
        #expect(try await contents() == before)
    }

    @Test func `what cannot be folded from its first event on is not rebuilt at every start`()
        async throws
    {
        var odd = order(0)[0]
        odd.data = Data("[]".utf8)
        _ = try await store.log.append(tenant, [odd])
        try await foldAll()
        let versions = ActivityCatalog.standard.foldVersions
        #expect(try await store.rebuilds.outdated(versions).isEmpty)
        _ = try await store.rebuilds.begin(tenant, "test", versions)
        #expect(try await rebuild() == .finished)
        #expect(try await store.rebuilds.outdated(versions).isEmpty)
        let snapshot = try await store.projections.snapshot(tenant, ActivityID(rawValue: "order-0"))
        #expect(snapshot?.blockage != nil)
    }

    @Test func `an activity of an older fold is folded from its first event when one more comes`()
        async throws
    {
        try await append(0..<2)
        try await foldAll()
        _ = try await store.log.append(tenant, [order(2)[0], order(2)[1]])
        try await foldAll()
        try await database.alter(
            """
            UPDATE snapshot SET fold_version = 0, state = '{"of":"another time"}'
            WHERE activity_id = 'order-2'
            """)
        _ = try await database.pool.query("UPDATE projection_checkpoint SET moved_at = now()")
        _ = try await store.log.append(tenant, [order(2)[2], order(2)[3]])
        try await foldAll()
        let after = try await contents()
        #expect(after.count == 3 + 12)
        _ = try await store.rebuilds.begin(
            tenant, "to compare", ActivityCatalog.standard.foldVersions)
        #expect(try await rebuild() == .finished)
        #expect(try await contents() == after)
    }

    @Test func `an older program does not fold what a newer one has folded`() async throws {
        try await append(0..<1)
        try await foldAll()
        _ = try await database.pool.query("UPDATE snapshot SET fold_version = 1000")
        _ = try await database.pool.query("UPDATE projection_checkpoint SET moved_at = now()")
        _ = try await store.log.append(
            tenant, [event(0, 9, "DriverLocated", #"{"distanceMeters":1}"#)])
        let before = try await contents()
        await #expect(throws: EventStoreError.self) { try await foldAll() }
        #expect(try await contents() == before)
        #expect(try await store.projections.checkpoint(tenant) == 4)
    }
}
