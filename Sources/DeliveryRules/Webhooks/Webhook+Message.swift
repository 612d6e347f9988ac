public import Domain

extension Webhook {
    /// What it is to receive of an activity's changes.
    /// - Parameters: as of `WebhookMessage.make`, and:
    ///   - sentAhead: version of the newest change that it was sent before its place in the
    ///     tenant's changes came there; 0 for none.
    /// - Returns: nil when the activity is not for it, or when there is nothing worth sending.
    public func message(
        about snapshot: Snapshot, pending: [Decision], tried: Int64, known: Int64,
        sentAhead: Int64, now: Moment, epoch: Int64?, erasedAt: Moment?
    ) -> WebhookMessage? {
        // In another phase it may have been sent what is erased; nothing else is for it to hear.
        let isWanted = wants(snapshot)
        guard isWanted || (erasedAt != nil && wants(kind: snapshot.kind)) else { return nil }
        let known = isWanted ? known : snapshot.version
        return .make(
            snapshot, pending: pending.filter { $0.version > sentAhead || $0.version <= known },
            tried: tried, known: known, since: createdAt, now: now, epoch: epoch,
            erasedAt: erasedAt)
    }
}
