import Domain
import Postgres

/// One connection of the appender, and the batches that are on it.
///
/// A tenant's batches are on one lane at a time, so they are recorded in the order they came. Small
/// batches have a lane that large ones may not use: nobody's single event waits until somebody
/// else's thousand is committed.
final class AppendLane {
    struct SentBatch {
        var batch: [AppendRequest]
        /// Nil for `append_events`, which finds out what conflicts.
        var optimistic: OptimisticAppend?
    }

    let connection: AppendConnection
    /// The most that one of its batches has, unless a single request has more.
    let size: AppendQueue.BatchBounds
    /// Batches of which nothing was recorded. They go again by `append_events`, each when nothing
    /// else is under way.
    var retries: [[AppendRequest]] = []
    /// A batch from the queue, of a tenant of whom too little is known to send it ahead.
    var next: [AppendRequest]?
    /// Batches that are being committed, in their order.
    var sent: [SentBatch] = []

    init(pool: Pool, size: AppendQueue.BatchBounds) {
        connection = AppendConnection(pool: pool)
        self.size = size
    }

    /// Tenants whose events other lanes have to leave alone.
    var tenants: [TenantID] {
        sent.map { $0.batch[0].tenant } + retries.map { $0[0].tenant }
            + (next.map { [$0[0].tenant] } ?? [])
    }

    /// Something is being committed, or was taken from the queue to be.
    var isBusy: Bool { !sent.isEmpty || hasWaiting }
    var hasWaiting: Bool { !retries.isEmpty || next != nil }

    /// Takes out what is not being committed.
    /// - Parameter oldest: of that only what came before it; nil for all.
    func removeWaiting(enqueuedBefore oldest: ContinuousClock.Instant? = nil) -> [AppendRequest] {
        func isOut(_ request: AppendRequest) -> Bool {
            oldest.map { request.enqueuedAt < $0 } ?? true
        }
        let out = (retries.joined() + (next ?? [])).filter(isOut)
        guard !out.isEmpty else { return [] }
        retries = retries.map { $0.filter { !isOut($0) } }.filter { !$0.isEmpty }
        next = next.map { $0.filter { !isOut($0) } }.flatMap { $0.isEmpty ? nil : $0 }
        return out
    }
}
