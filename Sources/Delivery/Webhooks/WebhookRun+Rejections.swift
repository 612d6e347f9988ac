import DeliveryRules
import Domain
import EventStore

extension WebhookRun {
    func message(about page: RejectionPage) -> WebhookMessage? {
        .rejected(page.tokens, after: lease.rejections.place, upto: page.upto)
    }

    /// How far the webhook has come with rejected tokens. After the last try it goes on without the
    /// message: all that it would have said is among the dead letters.
    /// - Parameter answer: to the message about them; nil when there was none to send.
    func rejections(
        after answer: WebhookAnswer?, _ work: WebhookWork, _ health: WebhookHealth
    ) -> RejectionProgress {
        let before = lease.rejections
        guard let page = work.rejections else { return dueAgain(before, work, health) }
        guard let answer, !answer.isDelivered else { return RejectionProgress(place: page.upto) }
        let attempts = (before.waiting?.attempts ?? 0) + 1
        let firstTriedAt = before.waiting?.firstTriedAt ?? work.now
        let retryAt = sender.rules.retryAt(
            after: answer, attempts: attempts, firstTriedAt: firstTriedAt, now: work.now,
            chance: sender.chance())
        guard let retryAt else { return RejectionProgress(place: page.upto) }
        return RejectionProgress(
            place: before.place,
            waiting: .init(
                upto: page.upto, attempts: attempts, firstTriedAt: firstTriedAt, retryAt: retryAt))
    }

    /// Like the other messages that wait it is due as soon as the webhook answers again.
    private func dueAgain(
        _ before: RejectionProgress, _ work: WebhookWork, _ health: WebhookHealth
    ) -> RejectionProgress {
        guard lease.webhook.health.failingSince != nil, health.failingSince == nil else {
            return before
        }
        var progress = before
        progress.waiting?.retryAt = work.now
        return progress
    }
}
