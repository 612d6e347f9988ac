import Domain
import EventStore
import TestSupport

/// Deliveries of a node that may die before it writes something down.
struct FailingDeliveries: ForwardingDeliveryStore {
    let base: any DeliveryStore
    var beforeRecord: @Sendable ([PhoneResult]) throws(EventStoreError) -> Void = { _ in }
    var beforeSettle: @Sendable () throws(EventStoreError) -> Void = {}
    var beforeDue: @Sendable () throws(EventStoreError) -> Void = {}
    var beforeClaim: @Sendable () throws(EventStoreError) -> Void = {}
    /// False: as far as the node knows, its session is lost.
    var hasSession = true

    func isCurrent(_ claim: DeliveryClaim) -> Bool { hasSession && base.isCurrent(claim) }

    func claimNext(
        _ limit: Int, _ scope: ClaimScope, _ now: Moment?
    ) async throws(EventStoreError) -> [DeliveryClaim] {
        try beforeClaim()
        return try await base.claimNext(limit, scope, now)
    }

    func nextDue() async throws(EventStoreError) -> Moment? {
        try beforeDue()
        return try await base.nextDue()
    }

    func record(
        _ claim: DeliveryClaim, _ results: [PhoneResult]
    ) async throws(EventStoreError) {
        try beforeRecord(results)
        try await base.record(claim, results)
    }

    func complete(
        _ claim: DeliveryClaim, _ outcome: LedgerRow.Outcome
    ) async throws(EventStoreError) {
        try beforeSettle()
        try await base.complete(claim, outcome)
    }
}

/// Channels of such a node.
struct FailingChannels: ForwardingChannelStore {
    let base: any ChannelStore
    var beforeCount: @Sendable () throws(EventStoreError) -> Void = {}
    var beforeChange: @Sendable (ChannelChange) throws(EventStoreError) -> Void = { _ in }
    var beforeRecord: @Sendable () throws(EventStoreError) -> Void = {}

    func wantForFollowers(
        _ tenant: TenantID, _ activity: ActivityID, _ followers: Int
    ) async throws(EventStoreError) -> Int {
        try beforeCount()
        return try await base.wantForFollowers(tenant, activity, followers)
    }

    func change(
        _ channel: Channel, _ change: ChannelChange, _ now: Moment?
    ) async throws(EventStoreError) -> Bool {
        try beforeChange(change)
        return try await base.change(channel, change, now)
    }

    func record(
        _ claim: DeliveryClaim, _ sent: [SentBroadcast]
    ) async throws(EventStoreError) {
        try beforeRecord()
        try await base.record(claim, sent)
    }
}
