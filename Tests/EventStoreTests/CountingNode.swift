import Domain
import EventStore
import Foundation

/// A node whose fold counts in the state what it was given, so that an event left out or taken
/// twice shows.
struct CountingNode {
    let store: EventStore
    let tenant: TenantID

    @Sendable static func count(_ batch: FoldBatch) -> FoldOutcome {
        var snapshots: [ActivityID: Snapshot] = [:]
        for event in batch.events {
            let id = event.event.activityID
            var next = Samples.snapshot(event)
            let before = (snapshots[id] ?? batch.snapshots[id])
                .flatMap { Int(String(decoding: $0.state, as: UTF8.self)) }
            next.state = Data(String((before ?? 0) + 1).utf8)
            snapshots[id] = next
        }
        return FoldOutcome(
            snapshots: snapshots.values.sorted { $0.position < $1.position },
            decisions: batch.events.map { Samples.decision($0) }, parked: [])
    }

    @discardableResult
    func append(_ ids: String..., activity: String = "order-1") async throws -> [AppendOutcome] {
        try await store.log.append(tenant, ids.map { Samples.event($0, activity) })
    }

    /// As a projector does.
    /// - Returns: whether the short way led there.
    @discardableResult
    func fold() async throws -> Bool {
        if try await store.projections.foldFresh(tenant, 100, Self.count) > 0 { return true }
        while try await store.projections.foldNext(100, Self.count) > 0 {}
        return false
    }

    func state(_ activity: String = "order-1") async throws -> String? {
        let id = ActivityID(rawValue: activity)
        return try await store.projections.snapshot(tenant, id)
            .map { String(decoding: $0.state, as: UTF8.self) }
    }

    /// Events that are recorded and not folded.
    func behind() async throws -> Int64 {
        try await store.log.head(tenant) - store.projections.checkpoint(tenant)
    }
}
