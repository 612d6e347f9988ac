import APNs
import DeliveryRules
import Domain
import EventStore

extension SenderContext {
    /// Sends one page of phones what a plan has for each.
    func sendPage(
        _ plan: PushPlan, to page: [Registration], _ claim: DeliveryClaim,
        _ now: @escaping @Sendable () -> Moment
    ) async throws(EventStoreError) -> [PhoneResult] {
        guard !page.isEmpty else { return [] }
        if let bytes = plan.oversizedStateBytes {
            report(.stateTooLarge(bytes: bytes, phones: page.count))
        }
        guard plan.isSendable else { return page.map { .tooLarge($0) } }
        var pageMessages = try await PageMessages.prepare(
            plan, for: page, claim, store.projections, now: now())
        let messages = page.map { pageMessages.message(for: $0) }
        let pushes = zip(page, messages).compactMap { phone, message in
            message.map { Push(to: phone, $0, expiration: plan.expiration) }
        }
        guard store.deliveries.isCurrent(claim) else { throw .takenOver }
        let sentAt = now()
        let answers = await push(pushes)
        let time = now()
        measure(
            .sent(
                .init(
                    changedAt: claim.pending.last?.decidedAt, sentAt: sentAt, answeredAt: time,
                    count: answers.count, accepted: answers.count { $0.verdict == .accepted })))
        measure(.answered(.init(claim, sentAt: sentAt, answeredAt: time, .pushes(answers))))
        let changedAt = claim.newest?.decidedAt
        precondition(answers.count == pushes.count, "one answer for each push")
        var next = answers.makeIterator()
        return zip(page, messages).map { phone, message in
            guard message != nil, let answer = next.next() else { return .tooLarge(phone) }
            return PhoneResult.of(
                answer, for: phone, version: plan.version, completing: claim.completesUpTo,
                since: changedAt, now: time, giveUpRules.pushes)
        }
    }
}
