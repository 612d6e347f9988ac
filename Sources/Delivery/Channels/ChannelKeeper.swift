import APNs
import DeliveryRules
import Domain
import EventStore

/// Looks after channels: has APNs make those that are wanted and delete those that are over.
struct ChannelKeeper: Sendable {
    let context: SenderContext
    let transport: BroadcastTransport

    /// Does all that is due.
    /// - Returns: the number of channels looked at.
    func drain() async -> Int {
        var looked = 0
        do {
            while !Task.isCancelled {
                let tasks = try await context.store.channels.take(
                    Limits.channelsTakenMax, context.clock.virtual?())
                for task in tasks { try await look(after: task) }
                looked += tasks.count
                if tasks.count < Limits.channelsTakenMax { break }
            }
        } catch {
            if !Task.isCancelled { context.report(.store(error)) }
        }
        return looked
    }

    private func look(after task: ChannelTask) async throws(EventStoreError) {
        let channel = task.channel
        switch ChannelMachine.step(task) {
        case .leave: break
        case .create: try await create(channel, task)
        case .createAgain:
            context.report(.channel(.unaccounted(channel.app)))
            try await create(channel, task)
        case .withdraw:
            if channel.state == .creating { context.report(.channel(.unaccounted(channel.app))) }
            _ = try await write(ChannelChange(.withdrawn), of: channel)
        case .delete: try await delete(channel, task)
        }
    }

    /// The intent is durable before APNs is asked, so that what is made cannot be taken for
    /// somebody else's, and one whose asker dies is missed.
    private func create(
        _ channel: Channel, _ task: ChannelTask
    ) async throws(EventStoreError) {
        if let suspension = lackOfKey(for: channel) {
            let waiting = ChannelMachine.unasked(channel, suspension, now: task.takenAt)
            _ = try await write(waiting, of: channel)
            return
        }
        var asked = channel
        let intent = ChannelMachine.intent(channel)
        guard try await write(intent, of: channel) else { return }
        (asked.state, asked.attempts) = (intent.state, intent.attempts)
        let result = await ask(
            .createChannel(
                bundleID: channel.app.bundleID, requestID: context.makePushID(),
                storesNewest: channel.storage == .newest), channel)
        if case .notAnswered(_, mayHaveBeenDelivered: true) = result {
            context.report(.channel(.unaccounted(channel.app)))
        }
        let change = ChannelMachine.created(asked, result, now: task.takenAt)
        _ = try await write(change, of: asked)
        if change.state == .open { try await warn(about: channel.app) }
        try await loseOthers(by: result, task)
    }

    /// What APNs says of the app's right to broadcast, it says of all its channels.
    private func loseOthers(
        by result: PushResult, _ task: ChannelTask
    ) async throws(EventStoreError) {
        guard case .answered(let response) = result, response.verdict == .featureDisabled else {
            return
        }
        try await context.loseChannels(
            of: task.channel.tenantApp, response.failure, askedAt: task.takenAt)
    }

    /// Nil where there is a key. What APNs says of one is learned by asking.
    private func lackOfKey(for channel: Channel) -> AppSuspension? {
        context.transport.suspension(channel.tenantApp).flatMap { reason in
            AppSuspension.withoutKey.first { $0.rawValue == reason }
        }
    }

    private func delete(
        _ channel: Channel, _ task: ChannelTask
    ) async throws(EventStoreError) {
        let result = await ask(
            .deleteChannel(
                bundleID: channel.app.bundleID, channelID: channel.channelID ?? "",
                requestID: context.makePushID()), channel)
        guard let change = ChannelMachine.deleted(result) else { return }
        _ = try await write(change, of: channel)
        try await loseOthers(by: result, task)
    }

    private func warn(about app: AppInEnvironment) async throws(EventStoreError) {
        let count = try await context.store.channels.count(app)
        if count >= Limits.channelsNearLimit {
            context.report(.channel(.nearLimit(app, count: count)))
        }
    }

    /// A keeper that stops still waits for the answer, which names the channel that was made.
    private func ask(_ request: APNsRequest, _ channel: Channel) async -> PushResult {
        let result = await Task { await transport(channel.tenantApp, request) }.value
        // A channel that is to be deleted and is gone already is no loss.
        if let diagnostic = result.diagnostic(about: channel.app),
            diagnostic != .channel(.lost(channel.app))
        {
            context.report(diagnostic)
        }
        return result
    }

    private func write(
        _ change: ChannelChange, of channel: Channel
    ) async throws(EventStoreError) -> Bool {
        let time = context.clock.virtual?()
        return try await shieldedFromCancellation { [context] () async throws(EventStoreError) in
            try await context.store.channels.change(channel, change, time)
        }
    }
}
