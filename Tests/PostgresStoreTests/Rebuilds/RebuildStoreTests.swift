import Domain
import EventStore
import Foundation
import Postgres
import TestSupport
import Testing

@testable import PostgresStore

/// Two tenants with three folded events of two activities each.
private struct RebuildScene {
    let database: TestDatabase
    let tenant: TenantID
    let other: TenantID

    static let older = ["Sample": 1]
    static let newer = ["Sample": 2]

    var store: EventStore { database.store }
    var rebuilds: any RebuildStore { database.store.rebuilds }

    init() async throws {
        database = try await TestDatabase.make()
        tenant = try await database.store.tenants.ensure("acme").id
        other = try await database.store.tenants.ensure("other").id
        for owner in [tenant, other] { try await append(["a", "b", "a"], of: owner) }
        let fold: @Sendable (FoldBatch) -> FoldResult = { batch in
            var outcome = Samples.fold(batch, .hold)
            for index in outcome.snapshots.indices {
                outcome.snapshots[index].dispatch = Data(#"{"by":"live"}"#.utf8)
            }
            return outcome
        }
        while try await store.projections.foldNext(nil, 100, fold) != nil {}
    }

    func append(_ activities: [String], of owner: TenantID) async throws {
        let head = try await store.log.head(owner)
        _ = try await store.log.append(
            owner,
            activities.enumerated().map { (index, activity) in
                Samples.event("\(head + Int64(index) + 1)", activity)
            })
    }

    /// The live snapshots as a newer fold gives them.
    func part() async throws -> RebuiltPart {
        var snapshots = try await store.snapshots(of: tenant)
        for index in snapshots.indices {
            snapshots[index].foldVersion = 2
            snapshots[index].dispatch = Data(#"{"by":"rebuild"}"#.utf8)
        }
        return RebuiltPart(snapshots: snapshots, parked: [])
    }

    func take(_ tenant: TenantID? = nil) async throws -> any RebuildSession {
        try #require(try await rebuilds.take(tenant, Self.older))
    }

    func generations() async throws -> [Int32] {
        try await database.pool.query(
            "SELECT DISTINCT generation FROM snapshot WHERE tenant = $1 ORDER BY 1",
            [.tenant(tenant)]
        ).map { try $0.get(0, as: Int32.self) }
    }

    func foldVersions(of owner: TenantID) async throws -> [Int] {
        try await store.snapshots(of: owner).map(\.foldVersion)
    }
}

@Suite(.timeLimit(.minutes(2)))
struct `The store of rebuilds` {
    @Test func `begins one of a tenant, and another only by newer folds`() async throws {
        let scene = try await RebuildScene()
        let first = try await scene.rebuilds.begin(scene.tenant, "first", RebuildScene.older)
        #expect(first.tenant == Tenant(id: scene.tenant, name: "acme"))
        #expect(first.generation == 2)
        #expect(first.position == 0)
        #expect(first.target == 3)
        #expect(first.reason == "first")
        #expect(first.foldVersions == RebuildScene.older)
        #expect(!first.isPaused)
        #expect(try await scene.rebuilds.begin(scene.tenant, "again", RebuildScene.older) == first)
        let newer = try await scene.rebuilds.begin(scene.tenant, "newer", RebuildScene.newer)
        #expect(newer.generation == 3)
        #expect(newer.reason == "newer")
        #expect(newer.foldVersions == RebuildScene.newer)
        #expect(try await scene.rebuilds.begin(scene.tenant, "older", RebuildScene.older) == newer)
        #expect(try await scene.rebuilds.list() == [newer])
    }

    @Test func `writes down that one begins, pauses, goes on and is cancelled`() async throws {
        let scene = try await RebuildScene()
        let rebuilds = scene.rebuilds
        _ = try await rebuilds.begin(scene.tenant, "asked for", RebuildScene.older)
        // Neither of these does anything.
        _ = try await rebuilds.begin(scene.tenant, "again", RebuildScene.older)
        #expect(try await rebuilds.setPaused(scene.tenant, false))
        #expect(try await rebuilds.setPaused(scene.tenant, true))
        #expect(try await rebuilds.setPaused(scene.tenant, false))
        _ = try await rebuilds.begin(scene.tenant, "newer", RebuildScene.newer)
        #expect(try await rebuilds.cancel(scene.tenant))
        #expect(try await !rebuilds.cancel(scene.tenant))
        let acts = try await scene.store.audit.list(scene.tenant, nil, 10)
        let expected = [
            "rebuild.cancelled 3", "rebuild.begun 3", "rebuild.resumed 2", "rebuild.paused 2",
            "rebuild.begun 2", "tenant.created acme",
        ]
        #expect(acts.map { "\($0.act) \($0.subject)" } == expected)
        let after = String(decoding: try #require(acts[4].after), as: UTF8.self)
        #expect(after.contains(#""reason": "asked for""#), "\(after)")
    }

    @Test func `begins one when many want it at once`() async throws {
        let scene = try await RebuildScene()
        let begun = try await withThrowingTaskGroup(of: RebuildProgress.self) { group in
            for number in 0..<8 {
                group.addTask {
                    try await scene.rebuilds.begin(scene.tenant, "\(number)", RebuildScene.older)
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(begun.count == 8)
        #expect(Set(begun).count == 1)
        #expect(try await scene.rebuilds.list() == [begun[0]])
    }

    @Test func `lets one of several nodes work on one, and another after it`() async throws {
        let scene = try await RebuildScene()
        _ = try await scene.rebuilds.begin(scene.tenant, "test", RebuildScene.older)
        let nodes = (0..<4).map { _ in EventStore.postgres(pool: scene.database.makePool()) }
        let taken = try await withThrowingTaskGroup(of: (any RebuildSession)?.self) { group in
            for node in nodes {
                group.addTask { try await node.rebuilds.take(nil, RebuildScene.older) }
            }
            var taken: [any RebuildSession] = []
            for try await session in group {
                if let session { taken.append(session) }
            }
            return taken
        }
        #expect(taken.count == 1)
        for session in taken { await session.release() }
        try await waitUntil("the database lets go of it") {
            guard let next = try await nodes[0].rebuilds.take(nil, RebuildScene.older) else {
                return false
            }
            await next.release()
            return true
        }
    }

    @Test func `begins one by older folds again, and leaves one by newer folds alone`()
        async throws
    {
        let scene = try await RebuildScene()
        _ = try await scene.rebuilds.begin(scene.tenant, "test", RebuildScene.older)
        _ = try await scene.rebuilds.begin(scene.other, "test", RebuildScene.newer)
        #expect(try await scene.rebuilds.take(scene.other, RebuildScene.older) == nil)
        let session = try await scene.take(scene.tenant)
        #expect(try await session.write(scene.part(), 2))
        #expect(try await scene.rebuilds.list().map(\.position) == [2, 0])
        await session.release()
        var renewed: (any RebuildSession)?
        try await waitUntil("the database lets go of it") {
            renewed = try await scene.rebuilds.take(scene.tenant, RebuildScene.newer)
            return renewed != nil
        }
        let taken = try #require(renewed)
        #expect(taken.progress.generation == 3)
        #expect(taken.progress.position == 0)
        #expect(taken.progress.foldVersions == RebuildScene.newer)
        #expect(try await scene.rebuilds.list().map(\.generation) == [3, 2])
        await taken.release()
    }

    /// Nothing would say that the tenant stays on the old folds.
    @Test func `ends a pause where newer folds begin one again, and only there`() async throws {
        let scene = try await RebuildScene()
        _ = try await scene.rebuilds.begin(scene.tenant, "asked for", RebuildScene.older)
        #expect(try await scene.rebuilds.setPaused(scene.tenant, true))
        let paused = try await scene.rebuilds.begin(scene.tenant, "again", RebuildScene.older)
        #expect(paused.isPaused && paused.reason == "asked for")
        #expect(try await scene.rebuilds.take(nil, RebuildScene.older) == nil)
        #expect(try await scene.rebuilds.outdated(RebuildScene.newer).contains(scene.tenant))
        let newer = try await scene.rebuilds.begin(
            scene.tenant, "a fold has changed", RebuildScene.newer)
        #expect(!newer.isPaused)
        let session = try #require(try await scene.rebuilds.take(nil, RebuildScene.newer))
        #expect(session.progress == newer)
        await session.release()
    }

    @Test func `lets go of one that it could not begin`() async throws {
        let scene = try await RebuildScene()
        _ = try await scene.rebuilds.begin(scene.tenant, "test", RebuildScene.older)
        _ = try await scene.database.pool.query("ALTER TABLE parked_event RENAME TO hidden_event")
        await #expect(throws: EventStoreError.self) { try await scene.take() }
        _ = try await scene.database.pool.query("ALTER TABLE hidden_event RENAME TO parked_event")
        var next: (any RebuildSession)?
        try await waitUntil("the database lets go of it") {
            next = try await scene.rebuilds.take(scene.tenant, RebuildScene.older)
            return next != nil
        }
        await next?.release()
    }

    @Test func `reads in pages and nothing beyond the live generation`() async throws {
        let scene = try await RebuildScene()
        try await scene.append(["a", "c"], of: scene.tenant)
        _ = try await scene.rebuilds.begin(scene.tenant, "test", RebuildScene.older)
        let session = try await scene.take()
        let first = try await session.read(0, 2)
        #expect(first.indices == 0..<2)
        #expect(first.lastPosition == 2)
        #expect(try first.activity(1).rawValue == "b")
        let second = try await session.read(2, 10)
        #expect(second.lastPosition == 3)
        #expect(try second.place(0).version == 2)
        #expect(try second.activity(0).rawValue == "a")
        let third = try await session.read(3, 10)
        #expect(third.indices.isEmpty)
        #expect(third.lastPosition == nil)
        let directory = try LogDirectory(await session.read(0, 10))
        #expect(directory.activities.map(\.rawValue) == ["a", "b"])
        #expect(directory.owners == [0, 1, 0])
        await session.release()
    }

    @Test func `keeps what is written of a paused one, and nothing of one that was given up`()
        async throws
    {
        let scene = try await RebuildScene()
        _ = try await scene.rebuilds.begin(scene.tenant, "test", RebuildScene.older)
        let session = try await scene.take()
        let part = try await scene.part()
        #expect(try await scene.rebuilds.setPaused(scene.tenant, true))
        #expect(try await !session.write(part, 3))
        #expect(try await scene.rebuilds.list().map(\.position) == [3])
        let names = part.snapshots.map(\.activityID)
        #expect(try await session.snapshots(names).map(\.foldVersion) == [2, 2])
        #expect(try await scene.generations() == [1, 2])
        #expect(try await scene.rebuilds.cancel(scene.tenant))
        #expect(try await scene.generations() == [1])
        #expect(try await !session.write(part, 3))
        #expect(try await scene.generations() == [1])
        #expect(try await !scene.rebuilds.cancel(scene.tenant))
        await session.release()
    }

    @Test func `writes nothing into one that was begun after its own was given up`()
        async throws
    {
        let scene = try await RebuildScene()
        _ = try await scene.rebuilds.begin(scene.tenant, "test", RebuildScene.older)
        let session = try await scene.take()
        let part = try await scene.part()
        #expect(try await session.write(part, 2))
        #expect(try await scene.rebuilds.cancel(scene.tenant))
        let again = try await scene.rebuilds.begin(scene.tenant, "again", RebuildScene.older)
        // Nothing is left of the first one, so that the second has its number.
        #expect(again.generation == session.progress.generation)
        #expect(try await !session.write(part, 3))
        try await session.lockLive()
        #expect(try await !session.switchOver { _ in nil })
        #expect(try await scene.rebuilds.list().map(\.position) == [0])
        #expect(try await scene.generations() == [1])
        await session.release()
    }

    @Test func `puts the new generation in, with the dispatch states of the live one`()
        async throws
    {
        let scene = try await RebuildScene()
        let before = try await scene.store.snapshots(of: scene.tenant)
        for owner in [scene.tenant, scene.other] {
            _ = try await scene.rebuilds.begin(owner, "test", RebuildScene.older)
        }
        let session = try await scene.take(scene.tenant)
        try await session.lockLive()
        // One that the live generation does not have keeps its own.
        let part = try await scene.part()
        _ = try await scene.database.pool.query(
            "DELETE FROM snapshot WHERE tenant = $1 AND activity_id = 'b'",
            [.tenant(scene.tenant)])
        #expect(try await session.write(part, 3))
        #expect(try await scene.foldVersions(of: scene.tenant) == [1])
        let isLive = try await session.switchOver { _ in nil }
        #expect(isLive)
        let after = try await scene.store.snapshots(of: scene.tenant)
        #expect(after.map(\.foldVersion) == [2, 2])
        #expect(after.map(\.version) == before.map(\.version))
        #expect(after[0].dispatch == Data(#"{"by":"live"}"#.utf8))
        #expect(after[1].dispatch == Data(#"{"by":"rebuild"}"#.utf8))
        #expect(try await scene.generations() == [2])
        #expect(try await scene.rebuilds.list().map(\.tenant.id) == [scene.other])
        #expect(try await scene.foldVersions(of: scene.other) == [1, 1])
        await session.release()
    }
}
