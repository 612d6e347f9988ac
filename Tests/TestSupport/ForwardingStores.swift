public import Domain
public import EventStore

// More stores that leave everything to another one, but for what they override.

public protocol ForwardingRegistrationStore: RegistrationStore {
    var base: any RegistrationStore { get }
}

extension ForwardingRegistrationStore {
    public func change(
        _ tenant: TenantID, _ activity: ActivityID, _ request: CardRequest, _ rules: CardRules
    ) async throws(EventStoreError) -> (change: CardChange, id: Int64?) {
        try await base.change(tenant, activity, request, rules)
    }

    public func kept(_ tenant: TenantID, _ most: Int) async throws(EventStoreError) -> Int {
        try await base.kept(tenant, most)
    }

    public func tally(_ tenant: TenantID, _ activity: ActivityID, _ at: Moment?)
        async throws(EventStoreError) -> CardTally
    { try await base.tally(tenant, activity, at) }

    public func behind(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> PhonesBehind
    { try await base.behind(tenant, activity) }
}

public protocol ForwardingChannelStore: ChannelStore {
    var base: any ChannelStore { get }
}

extension ForwardingChannelStore {
    public func want(
        _ tenant: TenantID, _ activity: ActivityID, _ app: AppInEnvironment,
        _ storage: Channel.Storage
    ) async throws(EventStoreError) -> (channel: Channel, isNew: Bool) {
        try await base.want(tenant, activity, app, storage)
    }

    public func wantForFollowers(_ tenant: TenantID, _ activity: ActivityID, _ followers: Int)
        async throws(EventStoreError) -> Int
    { try await base.wantForFollowers(tenant, activity, followers) }

    public func find(_ tenant: TenantID, _ activity: ActivityID, _ bundleID: String)
        async throws(EventStoreError) -> [Channel]
    { try await base.find(tenant, activity, bundleID) }

    public func followers(_ tenant: TenantID, _ activity: ActivityID, _ app: AppInEnvironment)
        async throws(EventStoreError) -> ChannelFollowers
    { try await base.followers(tenant, activity, app) }

    public func take(_ limit: Int, _ now: Moment?) async throws(EventStoreError) -> [ChannelTask] {
        try await base.take(limit, now)
    }

    public func change(_ channel: Channel, _ change: ChannelChange, _ now: Moment?)
        async throws(EventStoreError) -> Bool
    { try await base.change(channel, change, now) }

    public func record(_ claim: DeliveryClaim, _ sent: [SentBroadcast])
        async throws(EventStoreError)
    { try await base.record(claim, sent) }

    public func loseAll(_ app: TenantApp, openedBy time: Moment, _ wish: ChannelChange)
        async throws(EventStoreError)
    { try await base.loseAll(app, openedBy: time, wish) }

    public func all() async throws(EventStoreError) -> [Channel] { try await base.all() }

    public func count(_ app: AppInEnvironment) async throws(EventStoreError) -> Int {
        try await base.count(app)
    }
}
