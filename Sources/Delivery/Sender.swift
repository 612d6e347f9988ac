import APNs
import APNsClient
public import Domain
public import EventStore
import PushDispatch

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
        /// The newest state of an activity does not fit into a push. So many phones were sent the
        /// one before it, or nothing when there is none.
        case stateTooLarge(bytes: Int, phones: Int)
        case channel(ChannelNotice)
    }

    private let store: EventStore
    private let transport: PushTransport
    private let clock: SenderClock
    private let makePushID: @Sendable () -> String
    private let report: @Sendable (Notice) -> Void
    private let broadcaster: Broadcaster?
    private let keeper: ChannelKeeper?

    /// - Parameters:
    ///   - broadcasts: nil leaves channels alone: none is made, none is sent to.
    ///   - now: in virtual time. By default the database's clock counts, which is one for all
    ///     nodes: a node whose own clock is ahead would keep the others from sending.
    ///   - makePushID: a new canonical lower-case UUID for `apns-id`.
    ///   - report: told about what an operator should know; the sender carries on by itself.
    public init(
        store: EventStore, transport: PushTransport, broadcasts: BroadcastTransport? = nil,
        now: (@Sendable () -> Moment)? = nil,
        makePushID: @escaping @Sendable () -> String,
        report: @escaping @Sendable (Notice) -> Void
    ) {
        self.store = store
        self.transport = transport
        clock = SenderClock(virtual: now)
        self.makePushID = makePushID
        self.report = report
        broadcaster = broadcasts.map {
            Broadcaster(store: store, transport: $0, makeRequestID: makePushID, report: report)
        }
        keeper = broadcasts.map {
            ChannelKeeper(
                store: store, transport: $0, clock: SenderClock(virtual: now),
                makeRequestID: makePushID, report: report)
        }
    }

    /// Runs until its task is cancelled.
    public func run() async {
        let news = store.news(about: [.folded, .phonesWaiting])
        let (wakeUps, waker) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await _ in news { waker.yield() }
            }
            group.addTask {
                while !Task.isCancelled {
                    try? await Task.sleep(for: await pause())
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
            waker.yield()
            for await _ in wakeUps { await drain() }
            group.cancelAll()
        }
    }

    /// Until the next phone is due or an activity's second is over, a poll interval at most.
    private func pause() async -> Duration {
        let longest = Duration.seconds(Limits.pollSeconds)
        guard let due = try? await store.deliveries.nextDue(),
            let now = try? await clock.now(store.deliveries)
        else { return longest }
        let seconds = max(0.05, due.seconds(since: now))
        return min(longest, .milliseconds(Int64(seconds * 1000) + 1))
    }

    /// Has APNs make and delete channels as they are due.
    /// - Returns: the number of channels looked at.
    @discardableResult
    public func keepChannels() async -> Int { await keeper?.drain() ?? 0 }

    /// Sends all that is due.
    /// - Returns: the number of rounds made.
    @discardableResult
    public func drain() async -> Int {
        var rounds = 0
        while !Task.isCancelled {
            do {
                let claims = try await store.deliveries.claim(
                    Limits.claimsMax, clock.virtual?())
                if claims.isEmpty { return rounds }
                await withTaskGroup(of: Void.self) { group in
                    for claim in claims { group.addTask { await carryOut(claim) } }
                }
                rounds += claims.count
            } catch {
                if !Task.isCancelled { report(.store(error)) }
                return rounds
            }
        }
        return rounds
    }

    private func carryOut(_ claim: DeliveryClaim) async {
        let plan = PushPlan.make(
            snapshot: claim.snapshot, pending: claim.pending, lastSettled: claim.lastSettled,
            timestamp: claim.timestamp)
        let deliveries = store.deliveries.outlastingCancellation
        let now = clock.during(claim)
        let start = DeliveryRound(after: 0, accepted: 0, failed: 0, timestamp: claim.timestamp)
        var round = claim.resumed ?? start
        do {
            try await broadcaster?.wantChannels(claim)
            guard let restarted = try await Restarter(starter: starter).run(claim, now) else {
                return await deliveries.release(claim)
            }
            round.accepted += restarted
            try await starter.run(claim, now)
            let channels = try await broadcaster?.send(plan, claim, now: now) ?? .none
            while true {
                let page = try await deliveries.page(
                    claim, plan.audience == .owed, now(), round.after, Limits.pagePhonesMax)
                guard let last = page.last else { break }
                let results = try await send(plan, to: page, claim, now)
                try await deliveries.record(claim, results)
                let accepted = results.count { $0.isAccepted }
                round.accepted += accepted
                round.failed += results.count - accepted
                round.after = last.id
                round.timestamp = claim.timestamp
                // The server stops: the rest is left to whoever claims the activity next.
                if results.count < page.count { return await deliveries.release(claim) }
            }
            let wasSent =
                plan.isSendable && round.accepted + round.failed + channels.count > 0
            try await deliveries.settle(
                claim,
                LedgerRow.Outcome(
                    carriedBy: plan.version, timestamp: wasSent ? round.timestamp : nil,
                    accepted: round.accepted, failed: round.failed, settledAt: now(),
                    channels: channels))
        } catch {
            report(.store(error))
            await deliveries.release(claim)
        }
    }

    private var starter: Starter {
        Starter(
            store: store, transport: transport, makePushID: makePushID, report: reportTroubles)
    }

    private func send(
        _ plan: PushPlan, to page: [Registration], _ claim: DeliveryClaim,
        _ now: @escaping @Sendable () -> Moment
    ) async throws(EventStoreError) -> [PhoneResult] {
        if let bytes = plan.oversizedStateBytes {
            report(.stateTooLarge(bytes: bytes, phones: page.count))
        }
        guard plan.isSendable else { return page.map { .tooLarge($0) } }
        return try await push(plan, to: page, claim, now)
    }

    /// - Returns: the results of all, or of those sent before the task was cancelled: these are
    ///   the first of the page.
    private func push(
        _ plan: PushPlan, to page: [Registration], _ claim: DeliveryClaim,
        _ now: @escaping @Sendable () -> Moment
    ) async throws(EventStoreError) -> [PhoneResult] {
        var catchingUp = try await CatchingUp.prepare(
            plan, for: page, claim, store.projections, now: now())
        var answers: [(Registration, PushResult)] = []
        answers.reserveCapacity(page.count)
        await withTaskGroup(of: (Registration, PushResult).self) { group in
            var waiting = page.makeIterator()
            func sendNext() {
                guard !Task.isCancelled, let phone = waiting.next(),
                    let message = catchingUp.message(for: phone)
                else { return }
                // In a task of its own, since a push under way is worth waiting for.
                let sent = Task { await push(message, plan, to: phone) }
                group.addTask { (phone, await sent.value) }
            }
            for _ in 0..<Limits.pushesInFlightMax { sendNext() }
            for await answer in group {
                answers.append(answer)
                sendNext()
            }
        }
        reportTroubles(answers.map(\.1))
        let time = now()
        return answers.map { registration, result in
            PhoneResult.of(result, for: registration, version: plan.version, now: time)
        }
    }

    private func push(
        _ message: PushPlan.Message, _ plan: PushPlan, to registration: Registration
    ) async -> PushResult {
        let request = PushRequest.device(
            tokenHex: registration.pushToken.hex, bundleID: registration.bundleID,
            apnsID: makePushID(), priority: message.priority, expiration: plan.expiration,
            body: message.body)
        return await transport.push(registration.app, request)
    }

    @Sendable
    private func reportTroubles(_ results: [PushResult]) {
        var unfit: (count: Int, reason: String) = (0, "")
        var unanswered: (count: Int, reason: String) = (0, "")
        var refused: String?
        for result in results {
            switch result {
            // Told once for its app.
            case .held: break
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
        if let refused { report(.credentialsRefused(reason: refused)) }
        if unfit.count > 0 { report(.tokensUnfit(count: unfit.count, reason: unfit.reason)) }
        if unanswered.count > 0 {
            report(.unanswered(count: unanswered.count, reason: unanswered.reason))
        }
    }
}

extension PhoneResult {
    fileprivate var isAccepted: Bool {
        if case .accepted = result { true } else { false }
    }
}
