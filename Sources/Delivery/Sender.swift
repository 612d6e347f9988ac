public import Domain
public import EventStore
import Projections
public import PushDispatch

/// Carries decisions out: claims activities with something to send, and sends each phone the
/// newest state.
public struct Sender: Sendable {
    /// What operators should know; never holds a token.
    public enum Notice: Hashable, Sendable {
        case store(EventStoreError)
        /// APNs refuses the provider token or key: nothing will be delivered until someone acts.
        case credentialsRefused(reason: String)
        /// APNs says that tokens do not belong to this environment or app.
        case tokensUnfit(count: Int, reason: String)
        /// No answer from APNs.
        case unanswered(count: Int, reason: String)
        /// APNs answers that it cannot take pushes just now. They are tried again.
        case notTaken(count: Int, reason: String)
        /// The newest state of an activity does not fit into a push. So many phones were sent the
        /// one before it, or nothing when there is none.
        case stateTooLarge(bytes: Int, phones: Int)
        case channel(ChannelNotice)
        /// Activities that another node had claimed and not finished, as it died or stands still.
        case tookOver(count: Int, from: String)
    }

    private let parts: SenderParts
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
        report: @escaping @Sendable (Notice) -> Void
    ) {
        let parts = SenderParts(
            store, transport, rules, SenderClock(virtual: now), pagePhones: pagePhones,
            makePushID: makePushID, measure: measure, report: report)
        self.parts = parts
        broadcaster = broadcasts.map { Broadcaster(parts, $0) }
        keeper = broadcasts.map { ChannelKeeper(parts: parts, transport: $0) }
    }

    /// Runs until its task is cancelled.
    public func run() async {
        // What a fan-out waits for are mostly the store's answers.
        await withTaskExecutorPreference(parts.store.deliveryExecutor) { await follow() }
    }

    private func follow() async {
        let notifications = parts.store.notifications(
            about: [.decided, .foldedElsewhere, .phonesWaiting])
        let (wakeUps, waker) = Self.makeWakeUps()
        let scheduler = FanOutScheduler(measure: parts.measure) { waker.yield() }
        let fanOut = FanOut(parts, broadcaster, scheduler)
        let look = ClaimPollGate()
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await item in notifications {
                    if !item.isDecided { look.want() }
                    waker.yield()
                }
            }
            group.addTask {
                while !Task.isCancelled {
                    try? await Task.sleep(for: await pause(look))
                    look.want()
                    waker.yield()
                }
                waker.finish()
            }
            group.addTask {
                while !Task.isCancelled {
                    await keepChannels()
                    try? await Task.sleep(for: .seconds(Limits.pollSeconds))
                }
            }
            look.want()
            waker.yield()
            for await _ in wakeUps {
                for claim in await takeUpAll(scheduler, look) {
                    group.addTask {
                        await scheduler.end(claim.tenant, isLong: await fanOut.carryOut(claim))
                    }
                }
                if let rest = look.takeAlarm() {
                    group.addTask {
                        try? await Task.sleep(for: rest)
                        waker.yield()
                    }
                }
                // Claiming many costs hardly more than claiming one: places gather.
                if await scheduler.vacancies == 0 {
                    try? await Task.sleep(for: .milliseconds(Limits.claimRestMillis))
                }
            }
            group.cancelAll()
        }
    }

    /// Sends all that is due.
    /// - Returns: the number of fan-outs made.
    @discardableResult
    public func drain() async -> Int {
        let (wakeUps, waker) = Self.makeWakeUps()
        let scheduler = FanOutScheduler(measure: parts.measure) { waker.yield() }
        let fanOut = FanOut(parts, broadcaster, scheduler)
        let look = ClaimPollGate()
        return await withDiscardingTaskGroup { group in
            var fanOuts = 0
            waker.yield()
            for await _ in wakeUps {
                let claims = await takeUp(scheduler, look)
                fanOuts += claims.count
                for claim in claims {
                    group.addTask {
                        await scheduler.end(claim.tenant, isLong: await fanOut.carryOut(claim))
                    }
                }
                if claims.isEmpty, await scheduler.isIdle { break }
            }
            return fanOuts
        }
    }

    /// What has just been decided comes first, and looking costs as much for one as for many; but
    /// what has waited for a while waits no longer for either.
    private func takeUpAll(_ scheduler: FanOutScheduler, _ look: ClaimPollGate) async
        -> [DeliveryClaim]
    {
        var claims = look.takeOverdue() ? await takeUp(scheduler, look) : []
        claims += await takeUp(scheduler, .decidedHere, look)
        if await scheduler.vacancies >= Limits.lookVacanciesMin, look.take() {
            claims += await takeUp(scheduler, look)
        }
        return claims
    }

    /// As many as there is room for, of all that is due.
    private func takeUp(_ scheduler: FanOutScheduler, _ look: ClaimPollGate) async
        -> [DeliveryClaim]
    {
        let vacancies = await scheduler.vacancies
        guard vacancies > 0 else {
            look.want()
            return []
        }
        let start = ContinuousClock.now
        let claims = await takeUp(scheduler, .all, look)
        look.looked(since: start)
        // There may be more.
        if claims.count >= vacancies { look.want() }
        return claims
    }

    private func takeUp(
        _ scheduler: FanOutScheduler, _ scope: ClaimScope, _ look: ClaimPollGate
    ) async -> [DeliveryClaim] {
        let vacancies = await scheduler.vacancies
        guard vacancies > 0, !Task.isCancelled else { return [] }
        do throws(EventStoreError) {
            let claims = try await parts.store.deliveries.claimNext(
                vacancies, scope, parts.clock.virtual?())
            await scheduler.begin(claims.count)
            for (node, taken) in Dictionary(grouping: claims, by: \.takenFrom) {
                if let node { parts.report(.tookOver(count: taken.count, from: node)) }
            }
            return claims
        } catch {
            if !Task.isCancelled { parts.report(.store(error)) }
            // A move of one tenant is over soon.
            if case .moving = error { return [] }
            look.failed()
            return []
        }
    }

    /// However often somebody is woken before he looks, he looks once.
    static func makeWakeUps() -> (AsyncStream<Void>, AsyncStream<Void>.Continuation) {
        AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Until the next phone is due or an activity's second is over, a poll interval at most. Asking
    /// takes as long as there is to look through, like looking.
    private func pause(_ look: ClaimPollGate) async -> Duration {
        let longest = Duration.seconds(Limits.pollSeconds)
        let start = ContinuousClock.now
        let wait: Duration
        do throws(EventStoreError) {
            guard let due = try await parts.store.deliveries.nextDue() else { return longest }
            let now = try await parts.clock.now(parts.store.deliveries)
            wait = .milliseconds(Int64(due.seconds(since: now) * 1000) + 1)
        } catch {
            if !Task.isCancelled { parts.report(.store(error)) }
            return longest
        }
        // A database that takes no writes may still say what is due.
        if look.hasJustFailed { return longest }
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
