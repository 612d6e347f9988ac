import EventStore

/// Keeps a webhook's lease while its messages are under way, and knows by this process's own clock
/// when it can no longer be relied on.
actor LeaseWatch {
    /// When the lease was last renewed at the earliest; nil when another one has it.
    private var renewedAt: ContinuousClock.Instant? = .now
    private var pageBeganAt = ContinuousClock.now

    /// A page ends by itself; one that does not must not keep the webhook.
    func beginPage() { pageBeganAt = .now }

    private var isWedged: Bool {
        ContinuousClock.now - pageBeganAt > .seconds(Limits.webhookPageSecondsMax)
    }

    var isFresh: Bool {
        guard let renewedAt else { return false }
        return ContinuousClock.now - renewedAt < .seconds(Limits.webhookLeaseFreshSecondsMax)
    }

    /// Until the task is cancelled, the lease is another one's, or a page does not end.
    func keep(_ lease: WebhookLease, _ sender: WebhookSender) async {
        while renewedAt != nil {
            try? await Task.sleep(for: .seconds(Limits.webhookRenewalSeconds))
            guard !Task.isCancelled, !isWedged else { return }
            let began = ContinuousClock.now
            let isMine = try? await sender.store.webhooks.feed.renew(lease, sender.clock.virtual?())
            if let isMine { renewedAt = isMine ? began : nil }
        }
    }
}
