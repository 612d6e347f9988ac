import Domain
import EventStore

extension FakeStore {
    /// What the API asks of it; the rest is the sender's.
    nonisolated var channelStore: any ChannelStore { FakeChannelStore(fake: self) }

    fileprivate func want(
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

struct FakeChannelStore: ChannelStore {
    let fake: FakeStore

    func want(
        _ tenant: TenantID, _ activity: ActivityID, _ app: ChannelApp, _ storage: Channel.Storage
    ) async throws(EventStoreError) -> (channel: Channel, isNew: Bool) {
        try await fake.want(tenant, activity, app, storage)
    }

    func wantForFollowers(_: TenantID, _: ActivityID, _: Int) async throws(EventStoreError) -> Int {
        0
    }

    func find(_ tenant: TenantID, _ activity: ActivityID, _ bundleID: String)
        async throws(EventStoreError) -> [Channel]
    { try await fake.channels(tenant, activity).filter { $0.app.bundleID == bundleID } }

    func followers(_: TenantID, _: ActivityID, _: ChannelApp) async throws(EventStoreError)
        -> ChannelFollowers
    { .init() }

    func take(_: Int, _: Moment?) async throws(EventStoreError) -> [ChannelTask] { [] }

    func change(_: Channel, _: ChannelChange, _: Moment?) async throws(EventStoreError) -> Bool {
        false
    }

    func record(_: DeliveryClaim, _: [SentBroadcast]) async throws(EventStoreError) {}

    func all() async throws(EventStoreError) -> [Channel] { [] }

    func count(_: ChannelApp) async throws(EventStoreError) -> Int { 0 }
}
