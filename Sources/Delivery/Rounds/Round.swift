import APNs
import APNsClient
import Domain
import EventStore
import Projections
import PushDispatch

/// Carries out one claim: cards that are to appear, a broadcast, and a push to each phone.
struct Round: Sendable {
    let store: EventStore
    let transport: PushTransport
    let broadcaster: Broadcaster?
    let shelf: PolicyShelf
    let makePushID: @Sendable () -> String
    let report: @Sendable (Sender.Notice) -> Void
    let clock: SenderClock
    let desk: Desk
    let pagePhones: Int

    private var deliveries: DeliveryStore {
        store.deliveries.outlastingCancellation(on: store.executor)
    }

    /// - Returns: whether it became a long one.
    func carryOut(_ claim: DeliveryClaim) async -> Bool {
        let now = clock.during(claim)
        var progress = Progress(claim: claim, plan: PushPlan.make(claim))
        do {
            let wantsChannels = try await broadcaster?.wantChannels(claim) ?? false
            guard let restarted = try await Restarter(starter: starter).run(claim, now) else {
                await deliveries.release(claim)
                return false
            }
            progress.round.accepted += restarted
            try await starter.run(claim, wantsChannels: wantsChannels, now)
            progress.channels = try await broadcaster?.send(progress.plan, claim, now: now) ?? .none
            if try await sendToAll(&progress, now) {
                try await deliveries.settle(progress.claim, progress.outcome(at: now()))
            } else {
                // The server stops: the rest is left to whoever claims the activity next.
                await deliveries.release(progress.claim)
            }
        } catch {
            report(.store(error))
            await deliveries.release(progress.claim)
        }
        return progress.isLong
    }

    private var starter: Starter {
        Starter(
            store: store, transport: transport, shelf: shelf, makePushID: makePushID,
            report: reportTroubles)
    }

    /// Page by page. The next one is read while this one is being sent, and what has been decided
    /// meanwhile goes to the rest of the phones at once.
    /// - Returns: false when the task was cancelled before all phones were sent to.
    private func sendToAll(
        _ progress: inout Progress, _ now: @escaping @Sendable () -> Moment
    ) async throws(EventStoreError) -> Bool {
        var page = try await read(progress, after: progress.round.after, now).get()
        while let last = page.last {
            let isLastPage = page.count < pagePhones
            async let ahead =
                isLastPage ? .success([]) : read(progress, after: last.id, now)
            let isComplete = try await sendInTurn(page, &progress, now)
            page = try await ahead.get()
            guard isComplete else { return false }
            progress.pages += 1
            if !page.isEmpty { try await overtake(&progress, now) }
        }
        return true
    }

    private func read(
        _ progress: Progress, after: Int64, _ now: @Sendable () -> Moment
    ) async -> Result<[Registration], EventStoreError> {
        do throws(EventStoreError) {
            return .success(
                try await deliveries.page(
                    progress.claim, progress.plan.audience == .owed, now(), after, pagePhones))
        } catch { return .failure(error) }
    }

    private func sendInTurn(
        _ page: [Registration], _ progress: inout Progress,
        _ now: @escaping @Sendable () -> Moment
    ) async throws(EventStoreError) -> Bool {
        if !progress.isLong, progress.pages >= Limits.shortRoundPagesMax {
            progress.isLong = await desk.becomeLong()
        }
        guard progress.isLong else { return try await send(page, &progress, now) }
        await desk.takeTurn(for: progress.claim.tenant)
        do throws(EventStoreError) {
            let isComplete = try await send(page, &progress, now)
            await desk.giveTurnBack()
            return isComplete
        } catch {
            await desk.giveTurnBack()
            throw error
        }
    }

    private func send(
        _ page: [Registration], _ progress: inout Progress,
        _ now: @escaping @Sendable () -> Moment
    ) async throws(EventStoreError) -> Bool {
        let plan = progress.plan
        // Some have had all of it already, while it overtook the round before.
        let (told, untold) = page.partitioned { plan.hasReached($0) }
        let results =
            told.map { PhoneResult.told($0, version: plan.version) }
            + (try await pageSender.send(plan, to: untold, progress.claim, now))
        // In order and without a gap, since the last one says how far the round has come.
        let sorted = results.sorted { $0.registrationID < $1.registrationID }
        let done = zip(page, sorted).prefix { $0.id == $1.registrationID }.map(\.1)
        try await deliveries.record(progress.claim, done)
        progress.note(done)
        return done.count == page.count
    }

    private var pageSender: PageSender {
        PageSender(
            projections: store.projections, transport: transport, makePushID: makePushID,
            report: report)
    }

    /// Takes up what has been decided since the round began: phones that are still to come are sent
    /// that, broadcasts included, and words that are not true any more are never said to them. The
    /// others get it with the next round.
    private func overtake(
        _ progress: inout Progress, _ now: @escaping @Sendable () -> Moment
    ) async throws(EventStoreError) {
        guard progress.plan.audience == .everyone, !progress.claim.mayStartCards,
            let claim = try await deliveries.renew(progress.claim, clock.virtual?())
        else { return }
        progress.claim = claim
        progress.plan = PushPlan.make(claim)
        if let tally = try await broadcaster?.send(progress.plan, claim, now: now) {
            progress.channels = tally
        }
    }

    @Sendable
    private func reportTroubles(_ results: [PushResult]) {
        for trouble in Sender.Notice.troubles(of: results) { report(trouble) }
    }
}

extension Round {
    /// How far a round has come.
    struct Progress: Sendable {
        var claim: DeliveryClaim
        var plan: PushPlan
        var round: DeliveryRound
        var channels = ChannelTally.none
        var pages = 0
        var isLong = false

        init(claim: DeliveryClaim, plan: PushPlan) {
            self.claim = claim
            self.plan = plan
            round =
                claim.resumed
                ?? DeliveryRound(
                    settles: claim.settles, after: 0, accepted: 0, failed: 0,
                    timestamp: claim.timestamp)
        }

        mutating func note(_ results: [PhoneResult]) {
            let accepted = results.count { $0.isAccepted }
            round.accepted += accepted
            round.failed += results.count - accepted
            round.after = results.last?.registrationID ?? round.after
            round.timestamp = claim.timestamp
        }

        func outcome(at moment: Moment) -> LedgerRow.Outcome {
            let wasSent = plan.isSendable && round.accepted + round.failed + channels.count > 0
            return LedgerRow.Outcome(
                carriedBy: claim.settles > 0 ? claim.settles : plan.version,
                timestamp: wasSent ? round.timestamp : nil, accepted: round.accepted,
                failed: round.failed, settledAt: moment, channels: channels)
        }
    }
}

extension PushPlan {
    fileprivate static func make(_ claim: DeliveryClaim) -> PushPlan {
        // What puts fresh cards in the place of old ones begins with a round of its own.
        let settled = claim.pending.prefix { $0.version <= claim.settles }
        let since = claim.pending.dropFirst(settled.count).prefix { $0.order?.restarts != true }
        return make(
            snapshot: claim.snapshot, pending: Array(settled + since),
            lastSettled: claim.lastSettled, timestamp: claim.timestamp)
    }

    /// The phone was told all of it, ahead of this round.
    fileprivate func hasReached(_ phone: Registration) -> Bool {
        audience == .everyone && !phone.isOwed && phone.attempts == 0
            && phone.sentVersion >= version
    }
}

extension PhoneResult {
    fileprivate var isAccepted: Bool {
        if case .accepted = result { true } else { false }
    }
}

extension Sequence {
    fileprivate func partitioned(
        _ belongs: (Element) -> Bool
    ) -> (those: [Element], others: [Element]) {
        reduce(into: ([], [])) { parts, element in
            if belongs(element) { parts.0.append(element) } else { parts.1.append(element) }
        }
    }
}
