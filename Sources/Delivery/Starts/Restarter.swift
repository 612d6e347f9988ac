import APNs
import DeliveryRules
import Domain
import EventStore

/// Replaces cards whose eight hours are over soon, under an activity's claim: starts a fresh card,
/// and ends the old one only when APNs has accepted that.
struct Restarter: Sendable {
    let context: SenderContext
    let starter: Starter

    /// All of them, so that no phone whose old card is gone is sent an update to it.
    /// - Returns: the number of fresh cards; nil when the task was cancelled before all phones were
    ///   looked at.
    func run(
        _ claim: DeliveryClaim, _ now: @escaping @Sendable () -> Moment
    ) async throws(EventStoreError) -> Int? {
        let wanted = claim.pending.last { $0.order?.restarts == true }?.version
        guard let restartVersion = wanted ?? claim.openRestartVersion else { return 0 }
        let startStore = context.store.startDeliveries
        try await startStore.markLeftoverStartsUnknown(claim)
        var started = 0
        if claim.snapshot.phase == .ended {
            try await startStore.close(claim)
        } else if let plan = starter.plan(claim) {
            let phonesMax = Limits.pagePhonesMax
            typealias Page = ([StartCandidate], Int64?)
            if wanted != nil {
                try await startStore.overtake(claim, restartVersion)
                started += try await start(plan, claim, now) {
                    (after) async throws(EventStoreError) -> Page in
                    let page = try await startStore.page(claim, restartVersion, after, phonesMax)
                    return (page, page.last?.replacedRegistrationID)
                }
            }
            // Those that had to wait. A card that fell due after the claim was made waits for the
            // next claim, because a fan-out that starts no card may be overtaken.
            if claim.mayStartCards {
                let began = now()
                started += try await start(plan, claim, now) {
                    (after) async throws(EventStoreError) -> Page in
                    let page = try await startStore.due(
                        claim, restartVersion, began, after, phonesMax)
                    return (page, page.last?.deviceID)
                }
            }
        }
        try await endReplaced(claim, now)
        return Task.isCancelled ? nil : started
    }

    /// Page by page. `next` gives a page and the place of its last one; nil when it is empty.
    private func start(
        _ plan: StartPlan, _ claim: DeliveryClaim, _ now: @escaping @Sendable () -> Moment,
        _ next: (_ after: Int64) async throws(EventStoreError) -> ([StartCandidate], Int64?)
    ) async throws(EventStoreError) -> Int {
        let channels = OpenChannelIDs(of: claim)
        var (started, after): (Int, Int64) = (0, 0)
        while !Task.isCancelled {
            let (page, last) = try await next(after)
            guard let last else { break }
            started += try await starter.carryOut(plan, channels, on: page, claim, now)
            after = last
        }
        return started
    }

    /// An end may be sent twice without harm. What does not get through is tried again, with the
    /// activity's next fan-out or when its time has come.
    private func endReplaced(
        _ claim: DeliveryClaim, _ now: @Sendable () -> Moment
    ) async throws(EventStoreError) {
        let replacementEnd = ReplacementEnd.make(
            snapshot: claim.snapshot, timestamp: claim.timestamp)
        let startStore = context.store.startDeliveries
        var after: Int64 = 0
        while !Task.isCancelled {
            let page = try await startStore.replaced(claim, after, Limits.pagePhonesMax)
            guard context.store.deliveries.isCurrent(claim) else { throw .takenOver }
            let sentAt = now()
            let answers = await end(page, with: replacementEnd)
            let time = now()
            if !answers.isEmpty, replacementEnd != nil {
                context.measure(
                    .answered(.init(claim, sentAt: sentAt, answeredAt: time, .pushes(answers))))
            }
            let changedAt = claim.newest?.decidedAt
            let results = zip(page, answers).map { card, answer in
                PhoneResult.of(
                    answer, for: card, version: 0, completing: 0, since: changedAt, now: time,
                    context.giveUpRules.pushes)
            }
            // After the last page as well, for those that have died.
            try await shieldedFromCancellation { () async throws(EventStoreError) in
                try await startStore.recordEnds(claim, results)
            }
            guard let last = page.last else { return }
            after = last.id
        }
    }

    /// A state that is too large for a push may fit again later.
    private func end(_ page: [Registration], with replacementEnd: ReplacementEnd?) async
        -> [PushResult]
    {
        guard let replacementEnd else {
            return page.map { _ in
                .notAnswered(reason: "too-large", mayHaveBeenDelivered: false)
            }
        }
        return await context.push(
            page.map {
                Push(to: $0, replacementEnd.message, expiration: replacementEnd.expiration)
            })
    }
}
