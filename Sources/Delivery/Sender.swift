public import DeliveryRules
public import Domain
public import EventStore
import Projections

/// Carries decisions out: claims activities with something to send, and sends each phone the
/// newest state.
public struct Sender: Sendable {
    private let context: SenderContext
    private let broadcaster: Broadcaster?
    private let keeper: ChannelKeeper?

    /// - Parameters:
    ///   - broadcasts: nil leaves channels alone: none is made, none is sent to.
    ///   - now: in virtual time. By default the database's clock counts, which is one for all
    ///     nodes: a node whose own clock is ahead would keep the others from sending.
    ///   - rules: when pushes and starts are given up.
    ///   - pagePhones: registrations that are read and recorded at once.
    ///   - makePushID: a new canonical lower-case UUID for `apns-id`.
    ///   - measure: learns what is sent, and of fan-outs under way.
    ///   - report: called with what an operator should know; the sender carries on by itself.
    public init(
        store: EventStore, transport: PushTransport, broadcasts: BroadcastTransport? = nil,
        rules: GiveUpRules = GiveUpRules(), now: (@Sendable () -> Moment)? = nil,
        pagePhones: Int = Limits.pagePhonesMax,
        makePushID: @escaping @Sendable () -> String,
        measure: @escaping @Sendable (SenderMeasure) -> Void = { _ in },
        report: @escaping @Sendable (Diagnostic) -> Void
    ) {
        let context = SenderContext(
            store, transport, rules, SenderClock(virtual: now), pagePhones: pagePhones,
            makePushID: makePushID, measure: measure, report: report)
        self.context = context
        broadcaster = broadcasts.map { Broadcaster(context, $0) }
        keeper = broadcasts.map { ChannelKeeper(context: context, transport: $0) }
    }

    /// Runs until its task is cancelled.
    public func run() async {
        // What a fan-out waits for are mostly the store's answers.
        await withTaskExecutorPreference(context.store.deliveryExecutor) { await follow() }
    }

    private func follow() async {
        let notifications = context.store.notifications(
            about: [.decided, .foldedElsewhere, .completed, .phonesWaiting])
        let (wakeUps, waker) = Self.makeWakeUps()
        let pollGate = ClaimPollGate()
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await item in notifications {
                    if !item.isDecided { pollGate.requestLook() }
                    waker.yield()
                }
            }
            group.addTask { await pollLoop(waker, pollGate) }
            group.addTask { await channelLoop() }
            pollGate.requestLook()
            waker.yield()
            await claimLoop(wakeUps, waker, pollGate)
            group.cancelAll()
        }
    }

    /// Asks for a look whenever something falls due, and wakes the claim loop for it.
    private func pollLoop(
        _ waker: AsyncStream<Void>.Continuation, _ pollGate: ClaimPollGate
    ) async {
        while !Task.isCancelled {
            try? await Task.sleep(for: await pause(pollGate))
            pollGate.requestLook()
            waker.yield()
        }
        waker.finish()
    }

    private func channelLoop() async {
        while !Task.isCancelled {
            await keepChannels()
            try? await Task.sleep(for: .seconds(Limits.pollSeconds))
        }
    }

    /// Claims what there is to send whenever it is woken, and carries it out.
    private func claimLoop(
        _ wakeUps: AsyncStream<Void>, _ waker: AsyncStream<Void>.Continuation,
        _ pollGate: ClaimPollGate
    ) async {
        let scheduler = FanOutScheduler(measure: context.measure) { waker.yield() }
        let fanOut = FanOut(context, broadcaster, scheduler)
        await withDiscardingTaskGroup { group in
            for await _ in wakeUps {
                for claim in await claimHintedAndDue(scheduler, pollGate) {
                    group.addTask { await fanOut.run(claim) }
                }
                if let delay = pollGate.takeWakeUpDelay() {
                    group.addTask {
                        try? await Task.sleep(for: delay)
                        waker.yield()
                    }
                }
                // Claiming many costs hardly more than claiming one: places gather.
                if await scheduler.vacancies == 0 {
                    try? await Task.sleep(for: .milliseconds(Limits.claimRestMillis))
                }
            }
        }
    }

    /// Sends all that is due.
    /// - Returns: the number of fan-outs made.
    @discardableResult
    public func drain() async -> Int {
        let (wakeUps, waker) = Self.makeWakeUps()
        let scheduler = FanOutScheduler(measure: context.measure) { waker.yield() }
        let fanOut = FanOut(context, broadcaster, scheduler)
        let pollGate = ClaimPollGate()
        return await withDiscardingTaskGroup { group in
            var fanOuts = 0
            waker.yield()
            for await _ in wakeUps {
                let claims = await claimDue(scheduler, pollGate)
                fanOuts += claims.count
                for claim in claims {
                    group.addTask { await fanOut.run(claim) }
                }
                if claims.isEmpty, await scheduler.isIdle { break }
            }
            return fanOuts
        }
    }

    /// Claims by hints first, and then by a look if there is room for many, because a look costs as
    /// much for one as for many. But a look that is overdue comes before both.
    private func claimHintedAndDue(
        _ scheduler: FanOutScheduler, _ pollGate: ClaimPollGate
    ) async -> [DeliveryClaim] {
        var claims = pollGate.takeOverdueLook() ? await claimDue(scheduler, pollGate) : []
        claims += await claim(.hinted, scheduler, pollGate)
        if await scheduler.vacancies >= Limits.lookVacanciesMin, pollGate.takeLook() {
            claims += await claimDue(scheduler, pollGate)
        }
        return claims
    }

    /// Claims as many as there is room for, of all that is due, after a look.
    private func claimDue(
        _ scheduler: FanOutScheduler, _ pollGate: ClaimPollGate
    ) async -> [DeliveryClaim] {
        let vacancies = await scheduler.vacancies
        guard vacancies > 0 else {
            pollGate.requestLook()
            return []
        }
        let start = ContinuousClock.now
        let claims = await claim(.all, scheduler, pollGate)
        pollGate.looked(since: start)
        // There may be more.
        if claims.count >= vacancies { pollGate.requestLook() }
        return claims
    }

    private func claim(
        _ scope: ClaimScope, _ scheduler: FanOutScheduler, _ pollGate: ClaimPollGate
    ) async -> [DeliveryClaim] {
        let vacancies = await scheduler.vacancies
        guard vacancies > 0, !Task.isCancelled else { return [] }
        do throws(EventStoreError) {
            let claims = try await context.store.deliveries.claimNext(
                vacancies, scope, context.clock.virtual?())
            await scheduler.begin(claims.count)
            for (node, taken) in Dictionary(grouping: claims, by: \.takenFrom) {
                if let node { context.report(.tookOver(count: taken.count, from: node)) }
            }
            return claims
        } catch {
            if !Task.isCancelled { context.report(.store(error)) }
            // A move of one tenant is over soon.
            if case .moving = error { return [] }
            pollGate.failed()
            return []
        }
    }

    /// However often somebody is woken before he looks, he looks once.
    static func makeWakeUps() -> (AsyncStream<Void>, AsyncStream<Void>.Continuation) {
        AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Until the next phone is due or an activity's second is over, a poll interval at most. Asking
    /// takes as long as there is to look through, like looking.
    private func pause(_ pollGate: ClaimPollGate) async -> Duration {
        let longest = Duration.seconds(Limits.pollSeconds)
        let start = ContinuousClock.now
        let wait: Duration
        do throws(EventStoreError) {
            guard let due = try await context.store.deliveries.nextDue() else { return longest }
            let now = try await context.clock.now(context.store.deliveries)
            wait = .milliseconds(Int64(due.seconds(since: now) * 1000) + 1)
        } catch {
            if !Task.isCancelled { context.report(.store(error)) }
            return longest
        }
        // A database that takes no writes may still say what is due.
        if pollGate.hasJustFailed { return longest }
        let rest = max(
            .milliseconds(50), (ContinuousClock.now - start) * Limits.lookRestFactor)
        return min(longest, max(rest, wait))
    }

    /// Has APNs make and delete channels as they are due, also those that followers have come for
    /// since they were last counted.
    /// - Returns: the number of channels looked at.
    @discardableResult
    public func keepChannels() async -> Int {
        await broadcaster?.makeUpForCounts()
        return await keeper?.drain() ?? 0
    }
}
