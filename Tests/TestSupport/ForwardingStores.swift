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

    public func count(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> Int
    { try await base.count(tenant, activity) }

    public func tally(_ tenant: TenantID, _ activity: ActivityID, _ at: Moment?)
        async throws(EventStoreError) -> CardTally
    { try await base.tally(tenant, activity, at) }

    public func behind(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> PhonesBehind
    { try await base.behind(tenant, activity) }
}

public protocol ForwardingClockStore: ClockStore {
    var base: any ClockStore { get }
}

extension ForwardingClockStore {
    public func due(_ now: Moment, _ after: DueActivity.Place?, _ limit: Int)
        async throws(EventStoreError) -> [DueActivity]
    { try await base.due(now, after, limit) }

    public func nextDue(_ now: Moment) async throws(EventStoreError) -> Moment? {
        try await base.nextDue(now)
    }

    public func correct(_ times: [DueTime]) async throws(EventStoreError) {
        try await base.correct(times)
    }
}

public protocol ForwardingIdentityStore: IdentityStore {
    var base: any IdentityStore { get }
}

extension ForwardingIdentityStore {
    public func look() async throws(EventStoreError) -> LogSighting { try await base.look() }

    public func heads(_ tenants: [TenantID]) async throws(EventStoreError) -> [TenantID: Int64] {
        try await base.heads(tenants)
    }

    public func beat(_ epoch: Int64) async throws(EventStoreError) -> Moment? {
        try await base.beat(epoch)
    }

    public func vouch(_ epoch: Int64) async throws(EventStoreError) { try await base.vouch(epoch) }

    public func hold(_ why: LogHold) async throws(EventStoreError) { try await base.hold(why) }

    public func accept(_ acceptance: LogAcceptance) async throws(EventStoreError) -> Int64? {
        try await base.accept(acceptance)
    }

    public func kept(_ tenant: TenantID, _ since: Int64) async throws(EventStoreError) -> Int64? {
        try await base.kept(tenant, since)
    }

    public func faults() async throws(EventStoreError) -> [LogFault] { try await base.faults() }
}

public protocol ForwardingChannelStore: ChannelStore {
    var base: any ChannelStore { get }
}

extension ForwardingChannelStore {
    public func want(
        _ tenant: TenantID, _ activity: ActivityID, _ app: ChannelApp, _ storage: Channel.Storage
    ) async throws(EventStoreError) -> (channel: Channel, isNew: Bool) {
        try await base.want(tenant, activity, app, storage)
    }

    public func wantForFollowers(_ tenant: TenantID, _ activity: ActivityID, _ followers: Int)
        async throws(EventStoreError) -> Int
    { try await base.wantForFollowers(tenant, activity, followers) }

    public func find(_ tenant: TenantID, _ activity: ActivityID, _ bundleID: String)
        async throws(EventStoreError) -> [Channel]
    { try await base.find(tenant, activity, bundleID) }

    public func followers(_ tenant: TenantID, _ activity: ActivityID, _ app: ChannelApp)
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

    public func all() async throws(EventStoreError) -> [Channel] { try await base.all() }

    public func count(_ app: ChannelApp) async throws(EventStoreError) -> Int {
        try await base.count(app)
    }
}
