import DeliveryRules
import Domain
import EventStore

extension SenderContext {
    /// APNs has deleted all channels of an app, as it may not broadcast any more. No phone gets one
    /// of them from now on, and others are made when the app may again.
    /// - Parameter askedAt: when APNs was asked. A channel that was opened since is another matter.
    func loseChannels(
        of app: TenantApp, _ reason: String, askedAt: Moment
    ) async throws(EventStoreError) {
        let wish = ChannelMachine.wantedAgain(reason, now: askedAt)
        try await shieldedFromCancellation { [store] () async throws(EventStoreError) in
            try await store.channels.loseAll(app, openedBy: askedAt, wish)
        }
    }
}
