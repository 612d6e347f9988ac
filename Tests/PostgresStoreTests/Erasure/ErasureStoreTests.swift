import Domain
import EventStore
import Foundation
import Postgres
import PostgresStore
import TestSupport
import Testing

/// An activity about somebody who has a name.
private struct PersonScene {
    static let told = #"{"n": 1, "name": "Ada"}"#
    static let erased = #"{"n": 1, "name": "erased-1"}"#
    static let forged = #"{"n": 2, "name": "erased-1"}"#

    let delivery: DeliveryScene

    init() async throws {
        delivery = try await DeliveryScene([])
        try await report("1")
        try await Samples.foldAll(delivery.store)
    }

    var store: EventStore { delivery.store }
    var database: TestDatabase { delivery.database }
    var tenant: TenantID { delivery.tenant }
    var activity: ActivityID { delivery.activity }

    @discardableResult
    func report(
        _ id: String, _ activity: String = "order-1", of other: TenantID? = nil
    ) async throws -> [AppendResult] {
        try await store.log.append(
            other ?? tenant, [Samples.event(id, activity, data: Self.told)])
    }

    func erase(
        _ rewrite: @Sendable (ErasureContent) -> Result<ErasureChanges, ErasureRefusal>
    ) async throws -> Result<ErasureChanges, ErasureRefusal> {
        try await store.erasure.erase(tenant, activity, rewrite)
    }

    /// Puts the same data into all events and the snapshot.
    @discardableResult
    func rewrite(to text: String) async throws -> ErasureChanges {
        let data = Data(text.utf8)
        let result = try await erase { content in
            var outcome = ErasureChanges()
            outcome.events = content.events
            for index in outcome.events.indices { outcome.events[index].event.data = data }
            outcome.snapshot = content.snapshot
            outcome.snapshot?.state = data
            return .success(outcome)
        }
        return try result.get()
    }

    /// Returns when the erasure and somebody else wait for a lock.
    func waitForTwo(_ what: String) async throws {
        try await waitUntil(what, within: 9) {
            let waiting = try await database.pool.query(
                """
                SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'
                    AND datname = current_database()
                """)
            return waiting.count == 2
        }
    }

    func keys(isMaking: Bool = false, of other: TenantID? = nil) async throws -> [UInt8]? {
        try await store.erasure.keys(other ?? tenant, [activity], isMaking: isMaking)[activity]
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `The store of erasures` {
    @Test func `shows an activity alone, by version, and how far it is folded`() async throws {
        let scene = try await PersonScene()
        let other = try await scene.store.tenants.ensure("other").id
        try await scene.report("2", "order-2")
        try await scene.report("3")
        try await scene.report("1", of: other)
        try await Samples.foldAll(scene.store)
        try await scene.report("4")
        _ = try await scene.store.projections.foldNext(scene.tenant, 100) { batch in
            FoldResult(
                snapshots: [], decisions: [],
                parked: batch.events.map {
                    ParkedEvent(
                        position: $0.position, activityID: $0.event.activityID, reason: "odd")
                })
        }
        let content = try await scene.store.erasure.content(scene.tenant, scene.activity)
        #expect(content.events.map(\.version) == [1, 2, 3])
        #expect(content.events.map(\.position) == [1, 3, 4])
        #expect(content.unfolded == [4])
        #expect(content.checkpoint == 4)
        #expect(content.snapshot?.version == 2)
        #expect(content.decisions.map(\.version) == [1, 2])
        #expect(!content.hasKey && content.erasedAt == nil && !content.isRebuilding)
        _ = try await scene.keys(isMaking: true)
        _ = try await scene.store.rebuilds.begin(scene.tenant, "test", [:])
        let later = try await scene.store.erasure.content(scene.tenant, scene.activity)
        #expect(later.hasKey && later.isRebuilding)
    }

    @Test func `makes a key for each activity that has none, and only when asked to`()
        async throws
    {
        let scene = try await PersonScene()
        let erasure = scene.store.erasure
        let other = try await scene.store.tenants.ensure("other").id
        #expect(try await scene.keys() == nil)
        let key = try await scene.keys(isMaking: true)
        #expect(key?.count == 32)
        let names = ["order-1", "order-2"].map { ActivityID(rawValue: $0) }
        let both = try await erasure.keys(scene.tenant, names, isMaking: true)
        #expect(both.count == 2)
        #expect(both[names[0]] == key)
        #expect(both[names[1]]?.count == 32 && both[names[1]] != key)
        #expect(try await erasure.keys(scene.tenant, names, isMaking: false) == both)
        #expect(try await scene.keys(of: other) == nil)
        #expect(try await scene.keys(isMaking: true, of: other) != key)
    }

    @Test func `makes one key, however many ask for it at once`() async throws {
        let scene = try await PersonScene()
        let keys = try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
            for _ in 0..<8 {
                group.addTask { try await scene.keys(isMaking: true) }
            }
            var keys: Set<[UInt8]?> = []
            for try await key in group { keys.insert(key) }
            return keys
        }
        let kept = try await scene.keys()
        #expect(kept != nil)
        #expect(keys == [kept])
    }

    @Test func `destroys the key of what is archived, and of that activity alone`() async throws {
        let scene = try await PersonScene()
        let other = try await scene.store.tenants.ensure("other").id
        let key = try await scene.keys(isMaking: true)
        let others = try await scene.keys(isMaking: true, of: other)
        let result = try await scene.erase { _ in
            var outcome = ErasureChanges()
            outcome.destroysKey = true
            return .success(outcome)
        }
        #expect(try result.get().destroysKey)
        #expect(try await scene.keys() == nil)
        let content = try await scene.store.erasure.content(scene.tenant, scene.activity)
        #expect(!content.hasKey && content.erasedAt != nil)
        #expect(try await scene.store.erasure.erasedCount(scene.tenant) == 1)
        #expect(try await scene.keys(of: other) == others)
        #expect(try await scene.store.erasure.erasedCount(other) == 0)
        // For what is archived from now on.
        let fresh = try await scene.keys(isMaking: true)
        #expect(fresh?.count == 32 && fresh != key)
        #expect(try await scene.store.erasure.erasedCount(scene.tenant) == 1)
    }

    @Test func `changes the data of events and nothing else, and shows it to followers`()
        async throws
    {
        let scene = try await PersonScene()
        let (log, projections) = (scene.store.log, scene.store.projections)
        let other = try await scene.store.tenants.ensure("other").id
        try await scene.report("1", of: other)
        let before = try await log.read(scene.tenant, 0, 10)
        let neighbours = try await log.read(other, 0, 10)
        let place = ActivityChange.Place(position: 1)
        let none = try await projections.changes(scene.tenant, after: place, 10, isFollowing: false)
        #expect(none.all.isEmpty)
        try await scene.rewrite(to: PersonScene.erased)
        var after = try await log.read(scene.tenant, 0, 10)
        let data = after.map { String(decoding: $0.event.data, as: UTF8.self) }
        let areErased = data.map { $0.contains("erased-1") && !$0.contains("Ada") }
        #expect(areErased == [true])
        try #require(after.count == before.count)
        for index in after.indices { after[index].event.data = before[index].event.data }
        #expect(after == before)
        #expect(try await log.read(other, 0, 10) == neighbours)
        let snapshot = try await projections.snapshot(scene.tenant, scene.activity)
        #expect(snapshot?.state == Data(PersonScene.erased.utf8))
        let changes = try await projections.changes(
            scene.tenant, after: place, 10, isFollowing: false)
        #expect(changes.all.map(\.activityID.rawValue) == ["order-1"])
    }

    @Test func `is not shown again by a node that remembers what it has told`() async throws {
        let scene = try await PersonScene()
        let node = EventStore.postgres(pool: scene.database.makePool())
        var notifications = node.notifications(about: [.foldedElsewhere]).makeAsyncIterator()
        #expect(await notifications.next() == .resumed)
        func changed(_ isFollowing: Bool) async throws -> [String] {
            let place = ActivityChange.Place(position: 2)
            return try await node.projections.changes(
                scene.tenant, after: place, 10, isFollowing: isFollowing
            ).all.compactMap(\.snapshot).map { String(decoding: $0.state, as: UTF8.self) }
        }
        #expect(try await changed(true).isEmpty)
        // Of the first only the place is kept.
        for id in ["2", "3"] {
            _ = try await node.log.append(
                scene.tenant, [Samples.event(id, data: PersonScene.told)])
            let folded = try await node.projections.foldNext(scene.tenant, 10) { batch in
                var outcome = Samples.fold(batch, .hold)
                outcome.snapshots[0].state = Data(PersonScene.told.utf8)
                return outcome
            }
            #expect(folded?.count == 1)
        }
        #expect(try await changed(true) == [PersonScene.told])
        // By another process, as the command is.
        try await scene.rewrite(to: PersonScene.erased)
        #expect(try await changed(false) == [PersonScene.erased])
        try await waitUntil("the node hears of it", within: 9) {
            try await changed(true) == [PersonScene.erased]
        }
    }

    /// As `PersonalData.isErased` does.
    @Test(arguments: [
        ("erased-1", true), ("erased-042", true), ("erased-91cc73a1", true), ("erased-", false),
        ("erased-by Ada Lovelace", false), ("erased-1 ", false), ("erased-1\n", false),
        ("erased-1234567890", false), ("erased-ada", false), ("unerased-1", false),
    ])
    func `excuses another value only where a whole mark is kept`(
        kept: String, isExcused: Bool
    ) async throws {
        let database = try await TestDatabase.make()
        let row = try await database.pool.query(
            """
            SELECT is_erased_from(
                jsonb_build_object('name', $1::text), jsonb_build_object('name', 'Ada'))
            """, [.text(kept)]
        ).first
        #expect(try row?.bool(0) == isExcused)
    }

    @Test func `writes nothing when it is refused, has nothing to erase, or the database refuses`()
        async throws
    {
        let scene = try await PersonScene()
        _ = try await scene.keys(isMaking: true)
        let before = try await scene.database.contents(of: scene.tenant)
        let refused = try await scene.erase { _ in .failure(.isBehind) }
        let nothing = try await scene.erase { _ in .success(ErasureChanges()) }
        #expect(throws: ErasureRefusal.isBehind) { try refused.get() }
        #expect(try nothing.get().isEmpty)
        await #expect(throws: EventStoreError.self) {
            try await scene.rewrite(to: PersonScene.forged)
        }
        #expect(try await scene.database.contents(of: scene.tenant) == before)
    }

    @Test func `knows of a rebuild of the tenant, and of no other's`() async throws {
        let scene = try await PersonScene()
        let other = try await scene.store.tenants.ensure("other").id
        for (owner, isRebuilding) in [(other, false), (scene.tenant, true)] {
            _ = try await scene.store.rebuilds.begin(owner, "test", [:])
            let seen = try await scene.erase { content in
                content.isRebuilding == isRebuilding
                    ? .success(ErasureChanges()) : .failure(.isBehind)
            }
            #expect(throws: Never.self) { try seen.get() }
        }
    }

    @Test func `lets nobody add to the log meanwhile`() async throws {
        let scene = try await PersonScene()
        let session = try await scene.database.pool.openDedicated()
        try await session.script("BEGIN; SELECT FROM projection_checkpoint FOR UPDATE")
        let erasing = Task { try await scene.rewrite(to: PersonScene.erased) }
        try await scene.database.waitForLock()
        let adding = Task { try await scene.report("2") }
        try await scene.waitForTwo("the event waits for the erasure")
        try await session.script("COMMIT")
        await session.close()
        #expect(try await erasing.value.events.count == 1)
        #expect(try await adding.value.map(\.position) == [2])
        let events = try await scene.store.log.read(scene.tenant, 0, 10)
        let names = events.map { String(decoding: $0.event.data, as: UTF8.self).contains("Ada") }
        #expect(names == [false, true])
    }

    @Test func `lets no rebuild begin meanwhile, which would bring back what it has read`()
        async throws
    {
        let scene = try await PersonScene()
        let session = try await scene.database.pool.openDedicated()
        // What the erasure writes first.
        try await session.script("BEGIN; LOCK TABLE subject_key IN SHARE MODE")
        let erasing = Task { try await scene.rewrite(to: PersonScene.erased) }
        try await scene.database.waitForLock()
        let beginning = Task { try await scene.store.rebuilds.begin(scene.tenant, "test", [:]) }
        try await scene.waitForTwo("the rebuild waits for the erasure")
        try await session.script("COMMIT")
        await session.close()
        #expect(try await erasing.value.events.count == 1)
        #expect(try await beginning.value.generation == 2)
    }

    @Test func `makes a state again although no event changes, and shows it to followers`()
        async throws
    {
        let scene = try await PersonScene()
        try await scene.rewrite(to: PersonScene.erased)
        _ = try await scene.database.pool.query(
            "INSERT INTO activity_word (tenant, word, activity_id) VALUES ($1, 'ada', 'order-1')",
            [.int4(scene.tenant.rawValue)])
        let place = ActivityChange.Place(position: 1)
        let before = try await scene.store.projections.changes(
            scene.tenant, after: place, 10, isFollowing: false)
        let result = try await scene.erase { content in
            var outcome = ErasureChanges()
            outcome.snapshot = content.snapshot
            outcome.snapshot?.state = Data("{}".utf8)
            outcome.formerWords = ["ada"]
            return .success(outcome)
        }
        #expect(try !result.get().isEmpty)
        let snapshot = try await scene.store.projections.snapshot(scene.tenant, scene.activity)
        #expect(snapshot?.state == Data("{}".utf8))
        let words = try await scene.database.pool.query(
            "SELECT FROM activity_word WHERE word = 'ada'")
        #expect(words.isEmpty)
        let after = try await scene.store.projections.changes(
            scene.tenant, after: try #require(before.end), 10, isFollowing: false)
        #expect(after.all.count == 1)
    }
}
