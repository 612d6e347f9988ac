import APNs
import DeliveryRules
import Domain
import EventStore
import Projections

/// Carries out claims: a broadcast, cards that are to appear, and a push to each phone.
final class FanOut: Sendable {
    private let context: SenderContext
    private let broadcaster: Broadcaster?
    private let starter: Starter
    private let restarter: Restarter
    private let scheduler: FanOutScheduler

    private var deliveries: any DeliveryStore { context.store.deliveries }
    private var executor: (any TaskExecutor)? { context.store.deliveryExecutor }

    init(_ context: SenderContext, _ broadcaster: Broadcaster?, _ scheduler: FanOutScheduler) {
        self.context = context
        self.broadcaster = broadcaster
        self.scheduler = scheduler
        starter = Starter(context: context)
        restarter = Restarter(context: context, starter: starter)
    }

    /// Carries a claim out and makes room for the next.
    func run(_ claim: DeliveryClaim) async {
        await scheduler.end(claim.tenant, isLong: await carryOut(claim))
    }

    /// - Returns: whether it became a long one.
    private func carryOut(_ claim: DeliveryClaim) async -> Bool {
        var progress = Progress(
            claim: claim, plan: PushPlan.current(for: claim),
            now: context.clock.since(claim.claimedAt))
        do {
            let wantsChannels =
                try await broadcaster?.wantChannels(claim, progress.now) ?? false
            // Before cards are started: none of them must listen to a channel that is lost.
            if let tally = try await broadcast(&progress) { progress.channels = tally }
            guard let restarted = try await restarter.run(progress.claim, progress.now) else {
                await release(claim)
                return false
            }
            progress.add(restarted: restarted)
            try await starter.run(
                progress.claim, wantsChannels: wantsChannels, progress.now)
            if try await sendToAll(&progress) {
                try await complete(progress.claim, progress.outcome())
            } else {
                // The server stops, or it is others' turn: the rest is left to the sender that
                // claims the activity next.
                await release(progress.claim)
            }
        } catch {
            context.report(.store(error))
            await release(progress.claim)
        }
        return progress.isLong
    }

    private func complete(
        _ claim: DeliveryClaim, _ outcome: LedgerRow.Outcome
    ) async throws(EventStoreError) {
        try await shieldedFromCancellation(on: executor) { () async throws(EventStoreError) in
            try await self.deliveries.complete(claim, outcome)
        }
    }

    private func release(_ claim: DeliveryClaim) async {
        await Task(executorPreference: executor) { await self.deliveries.release(claim) }.value
    }

    private typealias PageUnderWay = Task<Result<SentPage, EventStoreError>, Never>

    /// Page by page, a few of them under way at a time and written down in their order. What has
    /// been decided meanwhile goes to the rest of the phones at once.
    /// - Returns: false when the task was cancelled before all phones were sent to, or the tenant
    ///   has too many fan-outs of many phones.
    private func sendToAll(_ progress: inout Progress) async throws(EventStoreError) -> Bool {
        var underWay: [PageUnderWay] = []
        do throws(EventStoreError) {
            var page = try await read(progress, after: progress.recorded.afterRegistrationID)
            while let last = page.last {
                guard !Task.isCancelled, await mayGoOn(&progress) else {
                    try await record(&underWay, downTo: 0, &progress)
                    return false
                }
                underWay.append(try await begin(page, &progress))
                page =
                    page.count < context.pagePhones
                    ? [] : try await read(progress, after: last.id)
                let left = page.isEmpty ? 0 : await scheduler.turns
                try await record(&underWay, downTo: left, &progress)
            }
            return true
        } catch {
            // The results of pages that are under way are recorded as well, if that is possible.
            try? await record(&underWay, downTo: 0, &progress)
            throw error
        }
    }

    private func read(
        _ progress: Progress, after: Int64
    ) async throws(EventStoreError) -> [Registration] {
        let time = progress.now()
        return try await shieldedFromCancellation(on: executor) {
            () async throws(EventStoreError) in
            try await self.deliveries.page(
                progress.claim, progress.plan.receivers == .owed, time, after,
                self.context.pagePhones)
        }
    }

    /// After its first pages a fan-out may only go on as one of the long fan-outs.
    private func mayGoOn(_ progress: inout Progress) async -> Bool {
        guard !progress.isLong, progress.pages >= Limits.shortFanOutPagesMax else { return true }
        progress.isLong = await scheduler.becomeLong(progress.claim.tenant)
        return progress.isLong
    }

    /// Begins to send a page. A long fan-out waits for its turn before.
    private func begin(
        _ page: [Registration], _ progress: inout Progress
    ) async throws(EventStoreError) -> PageUnderWay {
        let isLong = progress.isLong
        if isLong { await scheduler.takeTurn(for: progress.claim.tenant) }
        do throws(EventStoreError) {
            if progress.pages > 0 { try await overtake(&progress) }
        } catch {
            if isLong { await scheduler.giveTurnBack(after: nil) }
            throw error
        }
        progress.pages += 1
        let (plan, claim, now) = (progress.plan, progress.claim, progress.now)
        // A task of its own, as pushes under way are worth waiting for. A whole page's is not for
        // the threads that everybody else needs; for a few phones another thread is a detour.
        let executor = page.count <= Limits.fewPhonesMax ? self.executor : nil
        return Task(executorPreference: executor) {
            let began = now()
            let results = await self.send(plan, to: page, claim, now)
            if isLong { await self.scheduler.giveTurnBack(after: now().seconds(since: began)) }
            return results
        }
    }

    private func send(
        _ plan: PushPlan, to page: [Registration], _ claim: DeliveryClaim,
        _ now: @escaping @Sendable () -> Moment
    ) async -> Result<SentPage, EventStoreError> {
        // Some have had all of it already, while it overtook the fan-out before.
        let covered = page.filter { plan.hasReached($0) }
        let others = page.filter { !plan.hasReached($0) }
        do throws(EventStoreError) {
            let sent = try await context.sendPage(plan, to: others, claim, now)
            let results = covered.map { PhoneResult.covered($0, version: plan.version) } + sent
            return .success(
                SentPage(
                    results: results.sorted { $0.registrationID < $1.registrationID },
                    timestamp: claim.timestamp))
        } catch { return .failure(error) }
    }

    /// Records pages in order and without a gap, since the last phone says how far the fan-out has
    /// come.
    private func record(
        _ underWay: inout [PageUnderWay], downTo count: Int, _ progress: inout Progress
    ) async throws(EventStoreError) {
        while underWay.count > count {
            do throws(EventStoreError) {
                let page = try await underWay.removeFirst().value.get()
                let claim = progress.claim
                try await shieldedFromCancellation(on: executor) {
                    () async throws(EventStoreError) in
                    try await self.deliveries.record(claim, page.results)
                }
                progress.add(page)
            } catch {
                for page in underWay { _ = await page.value }
                underWay = []
                throw error
            }
        }
    }

    /// Takes up what has been decided since the fan-out began: phones that are still to come are
    /// sent that, broadcasts included, and words that are not true any more are never said to them.
    /// The others get it with the next fan-out.
    ///
    /// So a fan-out that began with version 7 still completes 7. If version 9 is decided when 500
    /// phones have been sent 7, the others are sent 9. The next fan-out completes 9, and passes
    /// over those (`hasReached`).
    private func overtake(_ progress: inout Progress) async throws(EventStoreError) {
        guard progress.plan.receivers == .everyone, !progress.claim.mayStartCards else { return }
        let (known, time) = (progress.claim, context.clock.virtual?())
        let renewed = try await shieldedFromCancellation(on: executor) {
            () async throws(EventStoreError) in
            try await self.deliveries.renew(known, time)
        }
        guard var claim = renewed else { return }
        // Our own progress stays: the store does not know of pages under way yet, and
        // `completesUpTo` is what the fan-out began with.
        claim.progress = progress.recorded
        progress.claim = claim
        progress.plan = PushPlan.current(for: claim)
        if let tally = try await broadcast(&progress) { progress.channels = tally }
    }

    /// Channels that turn out to be lost are none of the claim's from then on.
    /// - Returns: nil when nothing is broadcast here.
    private func broadcast(
        _ progress: inout Progress
    ) async throws(EventStoreError) -> ChannelTally? {
        guard let broadcaster else { return nil }
        let (claim, now) = (progress.claim, progress.now)
        let sentAt = now()
        let sent = try await broadcaster.sendToChannels(progress.plan, claim, now: now)
        let tally = sent.tally
        progress.claim.channels.removeAll { sent.lost.contains($0.id) }
        if tally.count > 0 {
            context.measure(
                .sent(
                    .init(
                        changedAt: claim.pending.last?.decidedAt, sentAt: sentAt,
                        answeredAt: now(), count: tally.count, accepted: tally.accepted)))
        }
        return tally
    }
}

extension FanOut {
    /// A page of which all pushes have been answered.
    struct SentPage: Sendable {
        var results: [PhoneResult]
        var timestamp: Int64
    }

    struct Progress: Sendable {
        var claim: DeliveryClaim
        var plan: PushPlan
        let now: @Sendable () -> Moment
        /// What the store knows of it, apart from pages under way.
        var recorded: RecordedProgress
        var channels = ChannelTally.none
        var pages = 0
        var isLong = false

        init(claim: DeliveryClaim, plan: PushPlan, now: @escaping @Sendable () -> Moment) {
            self.claim = claim
            self.plan = plan
            self.now = now
            recorded =
                claim.progress
                ?? RecordedProgress(
                    completesUpTo: claim.completesUpTo, afterRegistrationID: 0, accepted: 0,
                    failed: 0,
                    timestamp: nil)
        }

        /// Fresh cards that came with the state in the push that started them.
        mutating func add(restarted: Int) {
            guard restarted > 0 else { return }
            recorded.accepted += restarted
            recorded.timestamp = claim.timestamp
        }

        mutating func add(_ page: SentPage) {
            let accepted = page.results.count { $0.isAccepted }
            recorded.accepted += accepted
            recorded.failed += page.results.count - accepted
            recorded.afterRegistrationID =
                page.results.last?.registrationID ?? recorded.afterRegistrationID
            if page.results.contains(where: \.wasPushed) { recorded.timestamp = page.timestamp }
        }

        func outcome() -> LedgerRow.Outcome {
            // Of what no phone is known to have received, that which was tried last.
            let tried = recorded.failed + channels.count > 0 ? claim.timestamp : nil
            return LedgerRow.Outcome(
                carriedBy: claim.completesUpTo > 0 ? claim.completesUpTo : plan.version,
                timestamp: plan.isSendable ? recorded.timestamp ?? tried : nil,
                accepted: recorded.accepted, failed: recorded.failed, completedAt: now(),
                channels: channels)
        }
    }
}

extension PushPlan {
    fileprivate static func current(for claim: DeliveryClaim) -> PushPlan {
        // A decision that replaces old cards by fresh ones begins with a fan-out of its own.
        let completing = claim.pending.prefix { $0.version <= claim.completesUpTo }
        let since = claim.pending.dropFirst(completing.count).prefix { $0.order?.restarts != true }
        return make(
            snapshot: claim.snapshot, pending: Array(completing + since), upcoming: claim.upcoming,
            lastCompleted: claim.lastCompleted, timestamp: claim.timestamp)
    }

    /// An earlier push covered all of it for the phone.
    fileprivate func hasReached(_ phone: Registration) -> Bool {
        receivers == .everyone && !phone.isOwed && phone.attempts == 0
            && phone.sentVersion >= version
    }
}
