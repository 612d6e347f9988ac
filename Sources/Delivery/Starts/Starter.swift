import APNs
import DeliveryRules
import Domain
import EventStore
import Projections

/// Makes cards appear on phones whose app is not running, page by page, under an activity's claim.
///
/// Each start is written down before it leaves and once more with what came of it, so that a crash
/// in between leaves one that nobody knows of, and none that is sent twice. A sender that lives and
/// has only lost its claim does know, and writes it down nevertheless.
struct Starter: Sendable {
    let context: SenderContext

    /// Some pages, so that the updates of the same activity do not wait for all of them: a later
    /// fan-out goes on.
    /// - Parameter wantsChannels: whether channels are wanted that the claim does not know of.
    func run(
        _ claim: DeliveryClaim, wantsChannels: Bool, _ now: @escaping @Sendable () -> Moment
    ) async throws(EventStoreError) {
        guard let audience = claim.audience else { return }
        let startStore = context.store.startDeliveries
        if claim.snapshot.phase == .ended {
            try await startStore.markLeftoverStartsUnknown(claim)
            return try await startStore.close(claim)
        }
        guard audience.isDue || !claim.pending.isEmpty, let plan = plan(claim) else { return }
        let began = now()
        // After a report, or under other quiet hours, the reason why some starts are held may have
        // gone or may end sooner.
        let until = plan.hold(at: began)?.until
        var noLongerHeld = try await held(claim, untilLaterThan: until, after: 0)
        guard audience.isDue || !noLongerHeld.isEmpty else { return }
        // Cards that listen to a channel ask for nothing more, so one that is being made is worth
        // waiting for.
        let awaitsChannel =
            wantsChannels
            || claim.channels.contains { ChannelMachine.isAwaited($0, at: began) }
        guard !awaitsChannel else { return }
        let channels = OpenChannelIDs(of: claim)
        try await startStore.markLeftoverStartsUnknown(claim)
        var pages = 0
        while pages < Limits.startPagesMax, !Task.isCancelled, let last = noLongerHeld.last {
            try await carryOut(plan, channels, on: noLongerHeld, claim, now)
            noLongerHeld = try await held(claim, untilLaterThan: until, after: last.deviceID)
            pages += 1
        }
        var after: Int64 = 0
        while pages < Limits.startPagesMax, !Task.isCancelled {
            let page = try await startStore.due(claim, began, after, Limits.pagePhonesMax)
            guard let last = page.last else { break }
            try await carryOut(plan, channels, on: page, claim, now)
            (after, pages) = (last.deviceID, pages + 1)
        }
        after = audience.cursor
        while pages < Limits.startPagesMax, !Task.isCancelled {
            let page = try await startStore.page(claim, after, Limits.pagePhonesMax)
            guard let last = page.last else { return try await startStore.finish(claim) }
            try await carryOut(plan, channels, on: page, claim, now, cursor: last.deviceID)
            (after, pages) = (last.deviceID, pages + 1)
        }
    }

    private func held(
        _ claim: DeliveryClaim, untilLaterThan until: Moment?, after device: Int64
    ) async throws(EventStoreError) -> [StartCandidate] {
        try await context.store.startDeliveries.held(
            claim, for: StartMachine.Hold.reasons, untilLaterThan: until, device,
            Limits.pagePhonesMax)
    }

    func plan(_ claim: DeliveryClaim) -> StartPlan? {
        StartPlan.make(
            snapshot: claim.snapshot, newest: claim.newest, policy: context.policy(of: claim),
            timestamp: claim.timestamp,
            quietHours: context.quietHours(of: claim))
    }

    @discardableResult
    func carryOut(
        _ plan: StartPlan, _ channels: OpenChannelIDs, on page: [StartCandidate],
        _ claim: DeliveryClaim, _ now: @escaping @Sendable () -> Moment, cursor: Int64? = nil
    ) async throws(EventStoreError) -> Int {
        let startStore = context.store.startDeliveries
        let time = now()
        let hold = plan.hold(at: time)
        var messages = StartMessages(plan: plan, channels: channels)
        var tries: [StartTry] = []
        var intents: [StartIntent] = []
        for candidate in page {
            let message = candidate.token.flatMap { messages.message(for: $0, candidate.bundleID) }
            let app = candidate.token.map {
                TenantApp(
                    tenant: claim.tenant, bundleID: candidate.bundleID, environment: $0.environment)
            }
            let suspension = app.flatMap(context.transport.suspension)
            guard let intent = intent(candidate, message, hold, suspension, plan, at: time) else {
                continue
            }
            intents.append(intent)
            if let start = intent.start, start.state == .trying, let token = candidate.token,
                let message, let app
            {
                tries.append(
                    StartTry(
                        candidate: candidate, app: app, token: token, start: start,
                        message: message))
            }
        }
        // Whatever begins and is not sent never left.
        var results = tries.map {
            $0.answered(
                .deferred(reason: "the claim was lost", seconds: 0), at: time,
                under: context.giveUpRules.starts)
        }
        do throws(EventStoreError) {
            if !intents.isEmpty {
                let mine = try await shieldedFromCancellation {
                    [intents] () async throws(EventStoreError) in
                    try await startStore.begin(claim, intents)
                }
                guard context.store.deliveries.isCurrent(claim) else { throw .takenOver }
                let begun = tries.filter { mine.contains($0.candidate.deviceID) }
                results = await sendStarts(begun, plan, claim, now)
            }
            try await shieldedFromCancellation { [results] () async throws(EventStoreError) in
                try await startStore.record(claim, results, cursor)
            }
        } catch {
            // The fan-out ends with it: a statement of which nobody knows whether it was carried
            // out must not meet another try of the same claim.
            await recordAfterLosingClaim(results, claim)
            throw error
        }
        return results.count { $0.start.state == .started }
    }

    /// The sender that has the activity now takes these starts for unknown. This one knows better,
    /// and tells it as soon as the database answers.
    private func recordAfterLosingClaim(_ results: [StartResult], _ claim: DeliveryClaim) async {
        guard !results.isEmpty else { return }
        let startStore = context.store.startDeliveries
        for _ in 0..<Limits.recordTriesAfterLosingClaimMax {
            do throws(EventStoreError) {
                return try await shieldedFromCancellation { () async throws(EventStoreError) in
                    try await startStore.recordAfterLosingClaim(claim, results)
                }
            } catch {
                guard error.isTransient, !Task.isCancelled else { return }
                await context.clock.pause(seconds: Limits.pollSeconds)
            }
        }
    }

    /// Nil when there is nothing to be written down about it.
    private func intent(
        _ candidate: StartCandidate, _ message: PushPlan.Message?, _ hold: StartMachine.Hold?,
        _ suspension: String?, _ plan: StartPlan, at now: Moment
    ) -> StartIntent? {
        // A phone that was only found and is gone again was never wanted.
        guard candidate.start != nil || candidate.token != nil else { return nil }
        var budget = StartBudget(stored: candidate.budget)
        let before = candidate.start ?? CardStart()
        let after = StartMachine.next(
            before, isWanted: candidate.token != nil, hasCard: candidate.hasCard,
            refusal: message == nil ? "too-large" : nil, hold: hold, suspension: suspension,
            budget: &budget, at: now, under: plan.policy)
        guard after != candidate.start else { return nil }
        return StartIntent(
            candidate, start: after, budget: after?.state == .trying ? budget.encoded : nil)
    }

    private func sendStarts(
        _ tries: [StartTry], _ plan: StartPlan, _ claim: DeliveryClaim,
        _ now: @escaping @Sendable () -> Moment
    ) async -> [StartResult] {
        guard !tries.isEmpty else { return [] }
        let sentAt = now()
        let answers = await context.push(
            tries.map { $0.push(expiration: plan.expiration, about: claim.snapshot.activityID) })
        let time = now()
        context.measure(.answered(.init(claim, sentAt: sentAt, answeredAt: time, .starts(answers))))
        return zip(tries, answers).map { tried, answer in
            tried.answered(answer, at: time, under: context.giveUpRules.starts)
        }
    }
}

/// APNs' ids of an activity's open channels, by app.
typealias OpenChannelIDs = [AppInEnvironment: String?]

extension OpenChannelIDs {
    init(of claim: DeliveryClaim) {
        let open = claim.channels.filter { $0.state == .open }
        self.init(open.map { ($0.app, $0.channelID) }, uniquingKeysWith: { $1 })
    }
}

private struct StartTry: Sendable {
    var candidate: StartCandidate
    var app: TenantApp
    var token: StartCandidate.Token
    var start: CardStart
    var message: PushPlan.Message

    func push(expiration: Int64, about activityID: ActivityID) -> Push {
        Push(
            app: app, token: token.pushToken, message: message, expiration: expiration,
            origin: PushOrigin(
                activity: activityID.rawValue, phone: "device \(candidate.deviceID)",
                isProven: false))
    }

    func answered(
        _ answer: PushResult, at now: Moment, under rules: GiveUpRules.Bounds
    ) -> StartResult {
        let answered = StartMachine.answered(
            start, answer, tokenPutAt: token.putAt, at: now, under: rules)
        return StartResult(
            candidate, start: answered.start, isTokenDead: answered.isTokenDead,
            isUnsent: answered.isUnsent)
    }
}

/// Phones of one app, language and system share a message.
private struct StartMessages {
    struct Key: Hashable {
        var language: Language
        var osMajor: Int?
        var channel: String?
        var format: PushFormat
    }

    let plan: StartPlan
    let channels: OpenChannelIDs
    var messages: [Key: PushPlan.Message?] = [:]

    mutating func message(
        for token: StartCandidate.Token, _ bundleID: String
    ) -> PushPlan.Message? {
        let language = token.locale.flatMap { Language.best(for: $0, among: plan.languages) }
        let app = AppInEnvironment(bundleID: bundleID, environment: token.environment)
        let key = Key(
            language: language ?? .standard, osMajor: token.osMajor,
            channel: channels[app] ?? nil, format: PushFormat(for: token.environment))
        if let message = messages[key] { return message }
        let message = plan.message(
            language: key.language, osMajor: key.osMajor, channel: key.channel, as: key.format)
        messages[key] = .some(message)
        return message
    }
}
