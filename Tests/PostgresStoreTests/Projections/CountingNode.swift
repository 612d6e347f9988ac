import Domain
import EventLoop
import EventStore
import Foundation

/// A node whose fold counts in the state what it was given, so that an event left out or taken
/// twice shows.
struct CountingNode {
    /// Where the events came from that were folded.
    enum Origin { case memory, log }

    let store: EventStore
    let tenant: TenantID

    /// Postgres writes the same in another way.
    static let data = #"{"n":1}"#

    @Sendable static func count(_ batch: FoldBatch) -> FoldResult {
        var snapshots: [ActivityID: Snapshot] = [:]
        for event in batch.events {
            let id = event.event.activityID
            var next = Samples.snapshot(event)
            let before = (snapshots[id] ?? batch.snapshots[id])
                .flatMap { Int(String(decoding: $0.state, as: UTF8.self)) }
            next.state = Data(String((before ?? 0) + 1).utf8)
            snapshots[id] = next
        }
        return FoldResult(
            snapshots: snapshots.values.sorted { $0.position < $1.position },
            decisions: batch.events.map { Samples.decision($0) }, parked: [])
    }

    @discardableResult
    func append(_ ids: String..., activity: String = "order-1") async throws -> [AppendResult] {
        try await store.log.append(tenant, ids.map { Samples.event($0, activity, data: Self.data) })
    }

    /// As a projector does.
    /// - Returns: where the last events came from; nil when there were none.
    @discardableResult
    func fold() async throws -> Origin? {
        let last = Lock<Data?>(nil)
        let fold = { @Sendable (batch: FoldBatch) in
            last.withLock { $0 = batch.events.last?.event.data }
            return Self.count(batch)
        }
        while try await store.projections.foldNext(tenant, 100, fold) != nil {}
        return last.withLock { $0 }.map { $0 == Data(Self.data.utf8) ? .memory : .log }
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
