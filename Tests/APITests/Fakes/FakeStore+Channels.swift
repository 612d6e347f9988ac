import Domain
import EventStore

/// What the API asks of it; the rest is the sender's.
extension FakeStore: ChannelStore {
    func want(
        _ tenant: TenantID, _ activity: ActivityID, _ app: AppInEnvironment,
        _ storage: Channel.Storage
    ) throws(EventStoreError) -> (channel: Channel, isNew: Bool) {
        let known = try channels(tenant, activity)
        if let channel = known.first(where: { $0.app == app }) { return (channel, false) }
        let channel = Channel(
            id: Int64(known.count + 1), tenant: tenant, activityID: activity, app: app,
            storage: storage, wantedAt: Moment(unixSeconds: 1_800_000_000))
        add(channel)
        return (channel, true)
    }

    func wantForFollowers(_: TenantID, _: ActivityID, _: Int) -> Int { 0 }

    func find(
        _ tenant: TenantID, _ activity: ActivityID, _ bundleID: String
    ) throws(EventStoreError) -> [Channel] {
        try channels(tenant, activity).filter { $0.app.bundleID == bundleID }
    }

    func followers(_: TenantID, _: ActivityID, _: AppInEnvironment) -> ChannelFollowers { .init() }

    func take(_: Int, _: Moment?) -> [ChannelTask] { [] }

    func change(_: Channel, _: ChannelChange, _: Moment?) -> Bool { false }

    func record(_: DeliveryClaim, _: [SentBroadcast]) {}

    func loseAll(_: TenantApp, openedBy _: Moment, _: ChannelChange) {}

    func all() -> [Channel] { [] }

    func count(_: AppInEnvironment) -> Int { 0 }
}
