public import Domain

// Stores that leave everything to another one, but for what they override.

public protocol ForwardingEventLog: EventLog {
    var base: any EventLog { get }
}

extension ForwardingEventLog {
    public func append(_ tenant: TenantID, _ events: [NewEvent]) async throws(EventStoreError)
        -> [AppendOutcome]
    { try await base.append(tenant, events) }

    public func appendEach(_ tenant: TenantID, _ events: [NewEvent]) async throws(EventStoreError)
        -> [AppendOutcome]
    { try await base.appendEach(tenant, events) }

    public func read(_ tenant: TenantID, _ after: Int64, _ limit: Int) async throws(EventStoreError)
        -> [RecordedEvent]
    { try await base.read(tenant, after, limit) }

    public func select(
        _ tenant: TenantID, _ filter: EventFilter, _ positions: ClosedRange<Int64>, _ limit: Int
    ) async throws(EventStoreError) -> [RecordedEvent] {
        try await base.select(tenant, filter, positions, limit)
    }

    public func readActivity(
        _ tenant: TenantID, _ activity: ActivityID, _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [RecordedEvent] {
        try await base.readActivity(tenant, activity, after, limit)
    }

    public func head(_ tenant: TenantID) async throws(EventStoreError) -> Int64 {
        try await base.head(tenant)
    }
}

public protocol ForwardingProjectionStore: ProjectionStore {
    var base: any ProjectionStore { get }
}

extension ForwardingProjectionStore {
    public func foldNext(
        _ tenant: TenantID?, _ limit: Int, _ fold: @Sendable (FoldBatch) -> FoldOutcome
    ) async throws(EventStoreError) -> Int { try await base.foldNext(tenant, limit, fold) }

    public func snapshot(_ tenant: TenantID, _ activity: ActivityID) async throws(EventStoreError)
        -> Snapshot?
    { try await base.snapshot(tenant, activity) }

    public func snapshots(_ tenant: TenantID, _ after: ActivityID?, _ limit: Int)
        async throws(EventStoreError) -> [Snapshot]
    { try await base.snapshots(tenant, after, limit) }

    public func changed(_ tenant: TenantID, _ after: ActivityChange.Place, _ limit: Int)
        async throws(EventStoreError) -> ActivityChanges
    { try await base.changed(tenant, after, limit) }

    public func decided(_ tenant: TenantID, _ snapshots: [Snapshot]) async throws(EventStoreError)
        -> [ActivityID: LedgerRow]
    { try await base.decided(tenant, snapshots) }

    public func decisions(_ tenant: TenantID, _ activity: ActivityID, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [LedgerRow]
    { try await base.decisions(tenant, activity, after, limit) }

    public func checkpoint(_ tenant: TenantID) async throws(EventStoreError) -> Int64 {
        try await base.checkpoint(tenant)
    }
}

public protocol ForwardingDeliveryStore: DeliveryStore {
    var base: any DeliveryStore { get }
}

extension ForwardingDeliveryStore {
    public func claimNext(_ limit: Int, _ scope: ClaimScope, _ now: Moment?)
        async throws(EventStoreError) -> [DeliveryClaim]
    { try await base.claimNext(limit, scope, now) }

    public func isCurrent(_ claim: DeliveryClaim) -> Bool { base.isCurrent(claim) }

    public func takeOvers() -> Int { base.takeOvers() }

    public func page(
        _ claim: DeliveryClaim, _ onlyOwed: Bool, _ now: Moment, _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [Registration] {
        try await base.page(claim, onlyOwed, now, after, limit)
    }

    public func renew(_ claim: DeliveryClaim, _ now: Moment?) async throws(EventStoreError)
        -> DeliveryClaim?
    { try await base.renew(claim, now) }

    public func record(_ claim: DeliveryClaim, _ results: [PhoneResult])
        async throws(EventStoreError)
    { try await base.record(claim, results) }

    public func complete(_ claim: DeliveryClaim, _ outcome: LedgerRow.Outcome)
        async throws(EventStoreError)
    { try await base.complete(claim, outcome) }

    public func release(_ claim: DeliveryClaim) async { await base.release(claim) }

    public func nextDue() async throws(EventStoreError) -> Moment? { try await base.nextDue() }

    public func time() async throws(EventStoreError) -> Moment { try await base.time() }
}

public protocol ForwardingStartDeliveryStore: StartDeliveryStore {
    var base: any StartDeliveryStore { get }
}

extension ForwardingStartDeliveryStore {
    public func abandon(_ claim: DeliveryClaim) async throws(EventStoreError) {
        try await base.abandon(claim)
    }

    public func due(_ claim: DeliveryClaim, _ now: Moment, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [StartCandidate]
    { try await base.due(claim, now, after, limit) }

    public func page(_ claim: DeliveryClaim, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [StartCandidate]
    { try await base.page(claim, after, limit) }

    public func begin(_ claim: DeliveryClaim, _ intents: [StartIntent])
        async throws(EventStoreError) -> Set<Int64>
    { try await base.begin(claim, intents) }

    public func record(_ claim: DeliveryClaim, _ results: [StartResult], _ cursor: Int64?)
        async throws(EventStoreError)
    { try await base.record(claim, results, cursor) }

    public func finish(_ claim: DeliveryClaim) async throws(EventStoreError) {
        try await base.finish(claim)
    }

    public func close(_ claim: DeliveryClaim) async throws(EventStoreError) {
        try await base.close(claim)
    }

    public var restarts: any RestartStore { base.restarts }
}

public protocol ForwardingRestartStore: RestartStore {
    var base: any RestartStore { get }
}

extension ForwardingRestartStore {
    public func overtake(_ claim: DeliveryClaim, _ restartVersion: Int64)
        async throws(EventStoreError)
    {
        try await base.overtake(claim, restartVersion)
    }

    public func page(_ claim: DeliveryClaim, _ restartVersion: Int64, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [StartCandidate]
    { try await base.page(claim, restartVersion, after, limit) }

    public func due(
        _ claim: DeliveryClaim, _ restartVersion: Int64, _ now: Moment, _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [StartCandidate] {
        try await base.due(claim, restartVersion, now, after, limit)
    }

    public func replaced(_ claim: DeliveryClaim, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [Registration]
    { try await base.replaced(claim, after, limit) }

    public func ended(_ claim: DeliveryClaim, _ results: [PhoneResult])
        async throws(EventStoreError)
    { try await base.ended(claim, results) }
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
