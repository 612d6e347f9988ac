import Domain
import EventStore

extension FakeStore {
    /// What the API asks of it; the rest is the sender's.
    nonisolated var channelStore: ChannelStore {
        ChannelStore(
            want: { tenant, activity, app, storage async throws(EventStoreError) in
                try await self.want(tenant, activity, app, storage)
            },
            wantForFollowers: { _, _, _ in 0 },
            find: { tenant, activity, bundleID async throws(EventStoreError) in
                try await self.channels(tenant, activity).filter { $0.app.bundleID == bundleID }
            },
            followers: { _, _, _ in .init() }, take: { _, _ in [] }, change: { _, _, _ in false },
            record: { _, _ in }, all: { [] }, count: { _ in 0 })
    }

    private func want(
        _ tenant: TenantID, _ activity: ActivityID, _ app: ChannelApp, _ storage: Channel.Storage
    ) throws(EventStoreError) -> (channel: Channel, isNew: Bool) {
        let known = try channels(tenant, activity)
        if let channel = known.first(where: { $0.app == app }) { return (channel, false) }
        let channel = Channel(
            id: Int64(known.count + 1), tenant: tenant, activityID: activity, app: app,
            storage: storage, wantedAt: Moment(unixSeconds: 1_800_000_000))
        add(channel)
        return (channel, true)
    }
}
