import APNs
import APNsClient
import Domain
import EventStore
import PushDispatch

/// Sends one page of phones what a plan has for each.
final class PageSender: Sendable {
    let projections: any ProjectionStore
    let isCurrent: @Sendable (DeliveryClaim) -> Bool
    let transport: PushTransport
    let rules: PushRules
    let makePushID: @Sendable () -> String
    let report: @Sendable (Sender.Notice) -> Void
    let measure: @Sendable (SenderMeasure) -> Void

    init(
        projections: any ProjectionStore, isCurrent: @escaping @Sendable (DeliveryClaim) -> Bool,
        transport: PushTransport, rules: PushRules,
        makePushID: @escaping @Sendable () -> String,
        report: @escaping @Sendable (Sender.Notice) -> Void,
        measure: @escaping @Sendable (SenderMeasure) -> Void
    ) {
        self.projections = projections
        self.isCurrent = isCurrent
        self.transport = transport
        self.rules = rules
        self.makePushID = makePushID
        self.report = report
        self.measure = measure
    }

    func send(
        _ plan: PushPlan, to page: [Registration], _ claim: DeliveryClaim,
        _ now: @escaping @Sendable () -> Moment
    ) async throws(EventStoreError) -> [PhoneResult] {
        guard !page.isEmpty else { return [] }
        if let bytes = plan.oversizedStateBytes {
            report(.stateTooLarge(bytes: bytes, phones: page.count))
        }
        guard plan.isSendable else { return page.map { .tooLarge($0) } }
        var catchingUp = try await CatchingUp.prepare(
            plan, for: page, claim, projections, now: now())
        let messages = page.map { catchingUp.message(for: $0) }
        let requests = zip(page, messages).compactMap { phone, message in
            message.map { (app: phone.app, request: request($0, plan, to: phone)) }
        }
        guard isCurrent(claim) else { throw .takenOver }
        let sentAt = now()
        let answers = await transport.push(requests)
        for trouble in Sender.Notice.troubles(of: answers) { report(trouble) }
        let time = now()
        measure(
            .sent(
                .init(
                    claim.pending.last?.decidedAt, sentAt: sentAt, answeredAt: time,
                    count: answers.count, accepted: answers.count { $0.isAccepted })))
        measure(
            .answered(
                .init(
                    tenant: claim.tenant, activityID: claim.snapshot.activityID,
                    positions: claim.pending.isEmpty
                        ? [claim.lastCompleted?.position].compactMap(\.self)
                        : claim.pending.map(\.position),
                    sentAt: sentAt, answeredAt: time, results: answers)))
        let changedAt = (claim.pending.last ?? claim.lastCompleted)?.decidedAt
        var next = answers.makeIterator()
        return zip(page, messages).map { phone, message in
            guard message != nil, let answer = next.next() else { return .tooLarge(phone) }
            return PhoneResult.of(
                answer, for: phone, version: plan.version, completing: claim.completes, now: time
            ).unlessExhausted(phone, since: changedAt, now: time, rules)
        }
    }

    private func request(
        _ message: PushPlan.Message, _ plan: PushPlan, to registration: Registration
    ) -> PushRequest {
        PushRequest.device(
            tokenHex: registration.pushToken.hex, bundleID: registration.bundleID,
            apnsID: makePushID(), priority: message.priority, expiration: plan.expiration,
            body: message.body, origin: registration.origin)
    }
}

extension PushResult {
    fileprivate var isAccepted: Bool {
        if case .answered(let response) = self { response.verdict == .accepted } else { false }
    }
}

extension Registration {
    /// One that names no installation is taken for a phone of its own.
    var origin: PushOrigin {
        PushOrigin(
            activity: activityID.rawValue, phone: installation ?? "registration \(id)",
            isProven: isProven)
    }
}

extension Sender.Notice {
    /// What an operator should know of these answers.
    static func troubles(of results: [PushResult]) -> [Sender.Notice] {
        var unfit: (count: Int, reason: String) = (0, "")
        var unanswered: (count: Int, reason: String) = (0, "")
        var refused: String?
        for result in results {
            switch result {
            // Told once for its app.
            case .deferred: break
            case .notAnswered(let reason, _): unanswered = (unanswered.count + 1, reason)
            case .answered(let response):
                let reason = response.reason?.text ?? "status \(response.status)"
                switch response.verdict {
                case .credentialsRefused: refused = reason
                case .tokenUnfit: unfit = (unfit.count + 1, reason)
                case .accepted, .retryLater, .tokenDead, .pushRefused, .connectionUnfit: break
                }
            }
        }
        return [
            refused.map { .credentialsRefused(reason: $0) },
            unfit.count > 0 ? .tokensUnfit(count: unfit.count, reason: unfit.reason) : nil,
            unanswered.count > 0
                ? .unanswered(count: unanswered.count, reason: unanswered.reason) : nil,
        ].compactMap(\.self)
    }
}
