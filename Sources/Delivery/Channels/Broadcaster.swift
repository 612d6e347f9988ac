import APNs
import DeliveryRules
import Domain
import EventStore
import Projections

/// A fan-out's part for phones that listen: one broadcast for each open channel of the activity.
final class Broadcaster: Sendable {
    private let context: SenderContext
    private let transport: BroadcastTransport
    private let counts = FollowerCounts()

    init(_ context: SenderContext, _ transport: @escaping BroadcastTransport) {
        self.context = context
        self.transport = transport
    }

    /// Notes that channels are wanted when enough people follow the activity by now. A channel
    /// saves pushes and is needed for none: a count that fails is made up for later, and the
    /// fan-out goes on without it.
    /// - Returns: whether there are such that were not wanted before.
    func wantChannels(
        _ claim: DeliveryClaim, _ now: @Sendable () -> Moment
    ) async throws(EventStoreError) -> Bool {
        let key = FollowerCounts.Key(
            tenant: claim.tenant, activity: claim.snapshot.activityID)
        guard claim.snapshot.phase != .ended,
            let needed = ChannelChoice.followersNeeded(
                ofKind: claim.snapshot.kind, under: context.policy(of: claim)),
            await counts.isTimeToCount(key, needed: needed, at: claim.claimedAt)
        else { return false }
        do throws(EventStoreError) {
            return try await context.store.channels.wantForFollowers(
                key.tenant, key.activity, needed) > 0
        } catch {
            await counts.fail(key, needed: needed, at: now())
            guard !Task.isCancelled, context.store.deliveries.isCurrent(claim) else { throw error }
            context.report(.store(error))
            return false
        }
    }

    /// The same for activities of which followers came too soon after the last count, or could not
    /// be counted. One that has ended meanwhile is no matter: what is wanted for it is withdrawn.
    func makeUpForCounts() async {
        guard await counts.hasMissed else { return }
        do throws(EventStoreError) {
            let now = try await context.clock.now(context.store.deliveries)
            while let (key, needed) = await counts.nextMissed(at: now) {
                try await makeUp(for: key, needed: needed, at: now)
            }
        } catch {
            if !Task.isCancelled { context.report(.store(error)) }
        }
    }

    private func makeUp(
        for key: FollowerCounts.Key, needed: Int, at now: Moment
    ) async throws(EventStoreError) {
        do throws(EventStoreError) {
            _ = try await context.store.channels.wantForFollowers(
                key.tenant, key.activity, needed)
            await counts.clearFailure(key)
        } catch {
            await counts.fail(key, needed: needed, at: now)
            throw error
        }
    }

    /// A fan-out's broadcasts that have been answered.
    struct Sent {
        var tally: ChannelTally
        /// Channels that turned out to be gone.
        var lost: Set<Int64> = []
    }

    /// Sends to the channels that the fan-out is for, and records the results. A fan-out that goes
    /// on where another was cut short does not repeat what APNs accepted then.
    func sendToChannels(
        _ plan: PushPlan, _ claim: DeliveryClaim, now: @escaping @Sendable () -> Moment
    ) async throws(EventStoreError) -> Sent {
        let onlyOwed = plan.receivers == .owed
        let time = now()
        let open = claim.channels.filter { channel in
            channel.state == .open && (!onlyOwed || channel.retryAt.map { $0 <= time } ?? false)
        }
        let toSend = open.filter { onlyOwed || $0.sentVersion < plan.version }
        var tally = ChannelTally(accepted: open.count - toSend.count, failed: 0)
        guard !toSend.isEmpty else { return Sent(tally: tally) }
        var sent: [SentBroadcast] = []
        for channel in toSend {
            let before = try await before(plan, channel, claim, now())
            guard context.store.deliveries.isCurrent(claim) else { throw .takenOver }
            let result = await send(plan, before, to: channel, claim, now)
            sent.append((channel, result))
            if case .accepted = result { tally.accepted += 1 } else { tally.failed += 1 }
        }
        // Before they are recorded as lost, for which others would be asked for at once.
        for case (let channel, .allLost(let reason)) in sent {
            try await context.loseChannels(of: channel.tenantApp, reason, askedAt: time)
        }
        try await shieldedFromCancellation { [context, sent] () async throws(EventStoreError) in
            try await context.store.channels.record(claim, sent)
        }
        let lost = sent.filter { $0.result.isLoss }.map(\.channel.id)
        return Sent(tally: tally, lost: Set(lost))
    }

    /// What was sent before, and what of it may not have arrived.
    private struct Before {
        var earlier: [[Decision]] = []
        var missed: [Decision] = []
    }

    /// A channel that was opened since missed nothing: its phones have read the state by
    /// themselves.
    private func before(
        _ plan: PushPlan, _ channel: Channel, _ claim: DeliveryClaim, _ now: Moment
    ) async throws(EventStoreError) -> Before {
        let countsWhatWasHeard = plan.countsWhatWasHeard
        guard channel.attempts > 0 || countsWhatWasHeard, let openedAt = channel.openedAt else {
            return Before()
        }
        let completed = try await PageMessages.completed(
            since: countsWhatWasHeard ? 0 : channel.sentVersion, claim, context.store.projections)
        let hasMissed = channel.attempts > 0
        return Before(
            earlier: countsWhatWasHeard
                ? completed.pushes(
                    upTo: hasMissed ? channel.sentVersion : .max, since: openedAt) : [],
            missed: hasMissed
                ? completed.missed(after: channel.sentVersion, now: now, since: openedAt) : [])
    }

    private func send(
        _ plan: PushPlan, _ before: Before, to channel: Channel, _ claim: DeliveryClaim,
        _ now: @escaping @Sendable () -> Moment
    ) async -> BroadcastResult {
        guard
            let message = plan.message(
                earlier: before.earlier, missed: before.missed, coveredVersion: channel.sentVersion,
                as: .broadcast)
        else { return .refused(reason: "too-large") }
        let request = APNsRequest.broadcast(
            bundleID: channel.app.bundleID, channelID: channel.channelID ?? "",
            requestID: context.makePushID(), priority: message.priority,
            expiration: channel.expiration(ofPushAt: claim.timestamp),
            body: message.body)
        let sentAt = now()
        // In a task of its own, since a broadcast under way is worth waiting for.
        let result = await Task { await transport(channel.tenantApp, request) }.value
        if let diagnostic = result.diagnostic(about: channel.app) { context.report(diagnostic) }
        let time = now()
        context.measure(
            .answered(.init(claim, sentAt: sentAt, answeredAt: time, .broadcasts([result]))))
        return ChannelMachine.sent(channel, result, version: plan.version, now: time)
    }
}
