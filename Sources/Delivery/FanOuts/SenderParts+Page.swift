import APNs
import Domain
import EventStore
import PushDispatch

extension SenderParts {
    /// Sends one page of phones what a plan has for each.
    func send(
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
                    count: answers.count, accepted: answers.count { $0.isAccepted })))
        measure(.answered(.init(claim, sentAt: sentAt, answeredAt: time, .pushes(answers))))
        let changedAt = claim.newest?.decidedAt
        precondition(answers.count == pushes.count, "one answer for each push")
        var next = answers.makeIterator()
        return zip(page, messages).map { phone, message in
            guard message != nil, let answer = next.next() else { return .tooLarge(phone) }
            return PhoneResult.of(
                answer, for: phone, version: plan.version, completing: claim.completes, now: time
            ).unlessExhausted(phone, since: changedAt, now: time, rules.pushes)
        }
    }
}

extension PushResult {
    fileprivate var isAccepted: Bool {
        if case .answered(let response) = self { response.verdict == .accepted } else { false }
    }
}

extension Sender.Notice {
    /// What an operator should know of these answers.
    static func troubles(of results: [PushResult]) -> [Sender.Notice] {
        var unfit: (count: Int, reason: String) = (0, "")
        var unanswered: (count: Int, reason: String) = (0, "")
        var notTaken: (count: Int, reason: String) = (0, "")
        var refused: String?
        for result in results {
            switch result {
            // Reported once for its app.
            case .deferred: break
            case .notAnswered(let reason, _): unanswered = (unanswered.count + 1, reason)
            case .answered(let response):
                let reason = response.failure
                switch response.verdict {
                case .credentialsRefused: refused = reason
                case .tokenUnfit: unfit = (unfit.count + 1, reason)
                case .retryLater: notTaken = (notTaken.count + 1, reason)
                case .accepted, .tokenDead, .requestRefused, .connectionUnfit, .channelGone,
                    .limitReached, .featureDisabled:
                    break
                }
            }
        }
        return [
            refused.map { .credentialsRefused(reason: $0) },
            unfit.count > 0 ? .tokensUnfit(count: unfit.count, reason: unfit.reason) : nil,
            unanswered.count > 0
                ? .unanswered(count: unanswered.count, reason: unanswered.reason) : nil,
            notTaken.count > 0 ? .notTaken(count: notTaken.count, reason: notTaken.reason) : nil,
        ].compactMap(\.self)
    }
}
