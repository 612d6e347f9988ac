import Domain
import EventStore
import Foundation
import Postgres
import StoreTestSupport
import TestSupport
import Testing

@testable import PostgresStore

private let acme = TenantID(rawValue: 1)

private func checkpoint(_ position: Int64, generation: Int32 = 1, movedAt: Int64 = 0)
    -> SnapshotCache.Checkpoint
{
    SnapshotCache.Checkpoint(
        position: position, generation: generation, movedAt: Moment(unixSeconds: movedAt))
}

private func snapshot(_ activity: String, version: Int64 = 1) -> Snapshot {
    Snapshot(
        activityID: ActivityID(rawValue: activity), kind: "Sample", version: version, position: 1,
        phase: .live, state: Data("{}".utf8), attributes: Data("{}".utf8),
        contentState: Data("{}".utf8), updatedAt: Moment(unixSeconds: 0))
}

private let a = ActivityID(rawValue: "a")

struct SnapshotCacheTests {
    @Test func `what was written last is found until somebody else touches the checkpoint`() {
        let hot = SnapshotCache()
        hot.keep([snapshot("a")], of: acme, before: checkpoint(0), after: checkpoint(1))
        #expect(hot.find([a], of: acme, at: checkpoint(1))[a]?.version == 1)
        hot.keep([snapshot("b")], of: acme, before: checkpoint(1), after: checkpoint(2))
        #expect(hot.find([a], of: acme, at: checkpoint(2))[a]?.version == 1)
        #expect(hot.find([a], of: acme, at: checkpoint(1)).isEmpty)
        #expect(hot.find([a], of: acme, at: checkpoint(2, generation: 2)).isEmpty)
        #expect(hot.find([a], of: acme, at: checkpoint(2, movedAt: 1)).isEmpty)
        #expect(hot.find([a], of: TenantID(rawValue: 2), at: checkpoint(2)).isEmpty)
    }

    @Test func `after somebody else wrote only what is written now is known`() {
        let hot = SnapshotCache()
        hot.keep([snapshot("a")], of: acme, before: checkpoint(0), after: checkpoint(1))
        hot.keep([snapshot("b")], of: acme, before: checkpoint(7), after: checkpoint(8))
        let found = hot.find([a, ActivityID(rawValue: "b")], of: acme, at: checkpoint(8))
        #expect(found.keys.map(\.rawValue) == ["b"])
    }

    @Test func `a thousand tenants share one bound, and what one of them uses stays`() {
        let bytes = snapshot("a").memoryBytes
        let hot = SnapshotCache(bytesMax: 100 * bytes)
        let idle = (2...Int32(1_000)).map { TenantID(rawValue: $0) }
        let names = ["a", "b", "c"]
        for (position, tenant) in zip(Int64(1)..., idle) {
            hot.keep(
                names.map { snapshot($0) }, of: tenant, before: checkpoint(0), after: checkpoint(1))
            hot.keep(
                [snapshot("a", version: position)], of: acme, before: checkpoint(position - 1),
                after: checkpoint(position))
            let found = hot.find([a], of: acme, at: checkpoint(position))
            #expect(found[a]?.version == position)
        }
        let all = Set(names.map { ActivityID(rawValue: $0) })
        let kept = idle.map { hot.find(all, of: $0, at: checkpoint(1)).count }
        #expect((1...100).contains(kept.reduce(0, +)))
        // How far each is folded is still known, and what was kept last.
        let known = idle.count { hot.checkpoint(of: $0) == checkpoint(1) }
        #expect(known == idle.count)
        #expect(kept.last == 3)
    }

    @Test func `what is written again and again takes no room from others`() {
        let hot = SnapshotCache(bytesMax: 10 * snapshot("a").memoryBytes)
        let bravo = TenantID(rawValue: 2)
        hot.keep([snapshot("a")], of: bravo, before: checkpoint(0), after: checkpoint(1))
        for position in Int64(1)...100 {
            hot.keep(
                [snapshot("a", version: position)], of: acme, before: checkpoint(position - 1),
                after: checkpoint(position))
        }
        #expect(hot.find([a], of: bravo, at: checkpoint(1)).count == 1)
    }

    @Test func `two followers in turns and a hand on the snapshots never fold from what is old`()
        async throws
    {
        let database = try await TestDatabase.make()
        let nodes = [database.store, EventStore.postgres(pool: database.makePool())]
        let tenant = try await nodes[0].tenants.ensure("acme").id
        // Folds by counting in the state what it was given.
        let fold: @Sendable (FoldBatch) -> FoldResult = { batch in
            var snapshots = batch.snapshots
            for event in batch.events {
                let id = event.event.activityID
                var next = Samples.snapshot(event)
                let count = snapshots[id].flatMap { Int(String(decoding: $0.state, as: UTF8.self)) }
                next.state = Data(String((count ?? 0) + 1).utf8)
                snapshots[id] = next
            }
            return FoldResult(
                snapshots: Array(snapshots.values),
                decisions: batch.events.map { Samples.decision($0) }, parked: [])
        }
        for (round, node) in [0, 0, 1, 1, 0, 1, 0, 0].enumerated() {
            _ = try await nodes[0].log.append(tenant, [Samples.event("\(round)")])
            #expect(try await nodes[node].projections.foldNext(nil, 10, fold)?.count == 1)
        }
        let order = ActivityID(rawValue: "order-1")
        #expect(try await nodes[0].projections.snapshot(tenant, order)?.state == Data("8".utf8))
        try await database.alter(
            "UPDATE snapshot SET state = '100' WHERE tenant = \(tenant.rawValue)")
        _ = try await database.pool.query(
            "UPDATE projection_checkpoint SET moved_at = clock_timestamp() WHERE tenant = $1",
            [.int4(tenant.rawValue)])
        _ = try await nodes[0].log.append(tenant, [Samples.event("last")])
        #expect(try await nodes[0].projections.foldNext(nil, 10, fold)?.count == 1)
        #expect(try await nodes[0].projections.snapshot(tenant, order)?.state == Data("101".utf8))
    }
}
