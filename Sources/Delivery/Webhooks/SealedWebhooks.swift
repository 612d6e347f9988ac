import Domain
import EventStore
import Locks

/// Webhooks whose secret no master key of this node opens. It leaves them to the others for a
/// while.
final class SealedWebhooks: Sendable {
    private struct Entry {
        var until: Moment
        /// All of it that changes when somebody goes on with a webhook, even in vain.
        var progress: (ActivityChange.Place, RejectionProgress, WebhookHealth)
    }

    private let entries = Lock<[String: Entry]>([:])
    private let now: @Sendable () -> Moment

    init(now: @escaping @Sendable () -> Moment) { self.now = now }

    /// Ids of those that are left to others now.
    var leftToOthers: [String] {
        let now = now()
        return entries.withLock { entries in
            entries.compactMap { id, entry in entry.until > now ? id : nil }
        }
    }

    /// Leaves one to the others.
    /// - Returns: whether none of them has gone on with it since the last time.
    func leave(_ lease: WebhookLease) -> Bool {
        let until = now().adding(seconds: Limits.sealedWebhookSeconds)
        let progress = (lease.place, lease.rejections, lease.webhook.health)
        return entries.withLock { entries in
            let before = entries[lease.webhook.id]
            // Those that are forgotten are found again.
            if before == nil, entries.count >= Limits.sealedWebhooksMax { entries = [:] }
            entries[lease.webhook.id] = Entry(until: until, progress: progress)
            return before.map { $0.progress == progress } ?? false
        }
    }
}
