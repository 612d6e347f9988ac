import DeliveryRules
import Domain
import EventStore

/// What one webhook is sent while this node has its lease.
struct WebhookRun {
    let sender: WebhookSender
    var lease: WebhookLease
    let watch: LeaseWatch
    /// Versions of activities that were sent ahead of the webhook's place.
    var ahead: [ActivityID: Int64] = [:]

    /// Without an item: about rejected tokens.
    private typealias Due = (item: WebhookWork.Item?, message: WebhookMessage)
    private typealias Sent = (item: WebhookWork.Item?, message: WebhookMessage, WebhookAnswer)

    private var feed: any WebhookFeed { sender.store.webhooks.feed }

    /// Page by page, until there is nothing left to send or the webhook is paused.
    mutating func run() async throws(EventStoreError) {
        let sealed = try await sender.store.webhooks.secrets(
            (lease.webhook.tenant, lease.webhook.id))
        lease.secretID = sealed.first?.id
        let post = WebhookPost(lease.webhook, sealed, sender.transport, epoch: lease.epoch)
        guard let post else {
            return try await leaveToOthers()
        }
        while !Task.isCancelled {
            await watch.beginPage()
            let now = sender.clock.virtual?()
            let work = try await feed.work(lease, Limits.webhookPageMax, now)
            guard try await sendPage(work, post), work.isFull,
                lease.deliveredVersions.count < Limits.webhookVersionsMax
            else { return }
        }
    }

    /// - Returns: whether the webhook may be sent more now.
    private mutating func sendPage(
        _ work: WebhookWork, _ post: WebhookPost
    ) async throws(EventStoreError) -> Bool {
        var due: [Due] = work.items.compactMap { item in
            message(for: item, now: work.now).map { (item, $0) }
        }
        if let message = work.rejections.flatMap(message(about:)) { due.append((nil, message)) }
        // A node that has stood still begins nothing more: another one may have the webhook.
        guard await watch.isFresh else { return false }
        guard let sent = await send(due, post, now: work.now) else { return false }
        let withoutMessage = work.items.filter { item in
            item.waiting != nil && !sent.contains { $0.item?.waiting == item.waiting }
        }
        var results = results(of: sent, work)
        results.hasMoreChanges = work.hasMoreChanges
        results.done += withoutMessage.compactMap(\.waiting?.activityID)
        let goesOn = try await feed.record(lease, results, sender.clock.virtual?())
        report(results, sent)
        for (item, message, answer) in sent where answer.isDelivered {
            guard let snapshot = item?.snapshot else { continue }
            lease.deliveredVersions[snapshot.activityID] = message.version
            if snapshot.position > work.place.position {
                ahead[snapshot.activityID] = message.version
            }
        }
        lease.webhook.health = results.health
        (lease.place, lease.rejections) = (work.place, results.rejections)
        if !work.hasMoreChanges { lease.allSentUpTo = work.place.position }
        return goesOn && results.health.pausedUntil == nil
    }

    private func message(for item: WebhookWork.Item, now: Moment) -> WebhookMessage? {
        guard let snapshot = item.snapshot else { return nil }
        return lease.webhook.message(
            about: snapshot, pending: item.pending, tried: item.waiting?.version ?? 0,
            known: item.known, sentAhead: ahead[snapshot.activityID] ?? 0, now: now,
            epoch: lease.epoch == firstLogEpoch ? nil : lease.epoch, erasedAt: item.erasedAt)
    }

    /// All at once, each with a deadline.
    /// - Returns: nil when the task was cancelled: the next sender sends all of it again, and
    ///   receivers know what they have had.
    private func send(
        _ due: [Due], _ post: WebhookPost, now: Moment
    ) async -> [Sent]? {
        let clock = sender.clock.since(now)
        return await withTaskGroup(of: (Int, WebhookAnswer?).self) { group in
            for (index, (item, message)) in due.enumerated() {
                let positions = positions(of: message, item)
                group.addTask {
                    let sentAt = clock()
                    let answer = await post.send(message, now: now)
                    if let answer { note(answer, item, positions, sentAt, clock()) }
                    return (index, answer)
                }
            }
            var sent: [Sent] = []
            for await (index, answer) in group {
                guard let answer else {
                    group.cancelAll()
                    return nil
                }
                sent.append((due[index].0, due[index].1, answer))
            }
            return sent
        }
    }

    /// Positions of the events whose changes a message carries.
    private func positions(of message: WebhookMessage, _ item: WebhookWork.Item?) -> [Int64] {
        guard let item else { return [] }
        let delivered = item.snapshot.flatMap { ahead[$0.activityID] } ?? 0
        return item.pending.filter { $0.version > delivered && $0.version <= message.version }
            .map(\.position)
    }

    private func note(
        _ answer: WebhookAnswer, _ item: WebhookWork.Item?, _ positions: [Int64],
        _ sentAt: Moment, _ answeredAt: Moment
    ) {
        guard let activity = item?.snapshot?.activityID else { return }
        sender.measure(
            .answered(
                .init(
                    tenant: lease.webhook.tenant, activityID: activity, positions: positions,
                    sentAt: sentAt, answeredAt: answeredAt,
                    results: .webhook(id: lease.webhook.id, answer))))
    }

    private func results(of sent: [Sent], _ work: WebhookWork) -> WebhookResults {
        let (health, stop) = sender.rules.health(
            after: sent.map(\.2), healthBefore, now: work.now)
        let arrived = sent.filter(\.2.isDelivered)
        return WebhookResults(
            place: work.place,
            rejections: rejections(after: sent.first { $0.item == nil }?.2, work, health),
            delivered: arrived.count, failed: sent.count - arrived.count,
            done: arrived.compactMap(\.item?.waiting?.activityID),
            failures: sent.filter { !$0.2.isDelivered }.compactMap { failure($0, now: work.now) },
            health: health, stop: stop)
    }

    /// What passed while nothing could be signed says nothing of the receiver.
    private var healthBefore: WebhookHealth {
        var health = lease.webhook.health
        if health.lastFailure == Self.sealed {
            (health.failingSince, health.lastFailure) = (nil, nil)
        }
        return health
    }

    /// A message with something new in it is another one, so its attempts are counted from the
    /// start.
    private func failure(_ sent: Sent, now: Moment) -> WebhookResults.Failure? {
        guard let item = sent.item, let activity = item.snapshot?.activityID,
            let first = item.pending.first
        else { return nil }
        let before = item.waiting.flatMap { waiting in
            waiting.version == sent.message.version ? waiting : nil
        }
        let message = WaitingMessage(
            activityID: activity,
            after: item.waiting?.after ?? max(item.known, first.version - 1),
            version: sent.message.version, attempts: (before?.attempts ?? 0) + 1,
            firstTriedAt: before?.firstTriedAt ?? now)
        let retryAt = sender.rules.retryAt(
            after: sent.2, attempts: message.attempts, firstTriedAt: message.firstTriedAt,
            now: now, chance: sender.chance())
        return .init(message: message, reason: sent.2.reason, retryAt: retryAt)
    }

    private static let sealed = "secret-sealed"

    /// Leaves it to nodes that have the master key. If none goes on with it, it fails for operators
    /// until one does; it is not turned off for that.
    private mutating func leaveToOthers() async throws(EventStoreError) {
        sender.report(.sealed(webhook: lease.webhook.id))
        guard sender.sealed.leave(lease) else { return }
        var health = lease.webhook.health
        health.failingSince = health.failingSince ?? lease.takenAt
        health.lastFailure = Self.sealed
        var results = WebhookResults(
            place: lease.place, rejections: lease.rejections, delivered: 0, failed: 0, done: [],
            failures: [], health: health, stop: nil)
        results.hasMoreChanges = true
        _ = try await feed.record(lease, results, sender.clock.virtual?())
    }

    private func report(_ results: WebhookResults, _ sent: [Sent]) {
        let (id, before) = (lease.webhook.id, lease.webhook.health)
        let reason = results.health.lastFailure ?? ""
        var givenUp = results.failures.count { $0.retryAt == nil }
        if results.rejections.waiting == nil {
            givenUp += sent.count { $0.item == nil && !$0.2.isDelivered }
        }
        if givenUp > 0 { sender.report(.givenUp(webhook: id, count: givenUp, reason: reason)) }
        if let stop = results.stop { sender.report(.stopped(webhook: id, stop, reason: reason)) }
        switch (before.failingSince, results.health.failingSince) {
        case (nil, _?): sender.report(.failing(webhook: id, reason: reason))
        case (_?, nil): sender.report(.recovered(webhook: id))
        case (nil, nil), (_?, _?): break
        }
    }
}
