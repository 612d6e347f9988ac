import Domain
import EventLoop
import EventStore
import TestSupport
import Foundation

// Stores with one thing wrong: what each mutation makes of a sound one.

struct SkippingProjections: ForwardingProjectionStore {
    let base: any ProjectionStore

    func foldNext(
        _ tenant: TenantID?, _ limit: Int, _ fold: @Sendable (FoldBatch) -> FoldResult
    ) async throws(EventStoreError) -> FoldedBatch? {
        try await base.foldNext(tenant, limit) { batch in
            var batch = batch
            if batch.events.count > 1 { batch.events.removeLast() }
            return fold(batch)
        }
    }
}

struct TrustingDeliveries: ForwardingDeliveryStore {
    let base: any DeliveryStore

    func isCurrent(_ claim: DeliveryClaim) -> Bool { true }
}

struct MisjudgingLog: ForwardingEventLog {
    typealias Append =
        @Sendable (TenantID, [NewEvent]) async throws(EventStoreError) -> [AppendResult]

    let base: any EventLog
    /// What is made of an append of which nobody knows.
    let unknown:
        @Sendable (TenantID, [NewEvent], Append) async throws(EventStoreError) -> [AppendResult]

    func append(
        _ tenant: TenantID, _ events: [NewEvent], isAtomic: Bool
    ) async throws(EventStoreError) -> [AppendResult] {
        do throws(EventStoreError) {
            return try await base.append(tenant, events, isAtomic: isAtomic)
        } catch {
            guard isAtomic, case .outcomeUnknown = error else { throw error }
            return try await unknown(tenant, events) {
                [base] (tenant, events) async throws(EventStoreError) in
                try await base.append(tenant, events)
            }
        }
    }
}

struct ForgetfulRegistrations: ForwardingRegistrationStore {
    let base: any RegistrationStore

    func change(
        _ tenant: TenantID, _ activity: ActivityID, _ request: CardRequest, _ rules: CardRules
    ) async throws(EventStoreError) -> (change: CardChange, id: Int64?) {
        if case .rotate = request { return (CardChange(.rotated), nil) }
        return try await base.change(tenant, activity, request, rules)
    }
}

struct MisnotingDeliveries: ForwardingDeliveryStore {
    let base: any DeliveryStore
    /// What is written down instead, once for each phone; nil for the same.
    let change: @Sendable (PhoneResult, Moment) -> PhoneResult.Effect?
    private let changed = Lock<Set<Int64>>([])

    init(
        base: any DeliveryStore,
        change: @escaping @Sendable (PhoneResult, Moment) -> PhoneResult.Effect?
    ) {
        self.base = base
        self.change = change
    }

    func record(
        _ claim: DeliveryClaim, _ results: [PhoneResult]
    ) async throws(EventStoreError) {
        let noted = results.map { result in
            var noted = result
            guard let other = change(result, claim.claimedAt) else { return noted }
            let isFirst = changed.withLock { $0.insert(result.registrationID).inserted }
            if isFirst { (noted.effect, noted.needsNoWrite) = (other, false) }
            return noted
        }
        try await base.record(claim, noted)
    }
}

struct DroppingDeliveries: ForwardingDeliveryStore {
    let base: any DeliveryStore

    func page(
        _ claim: DeliveryClaim, _ onlyOwed: Bool, _ now: Moment, _ after: Int64, _ limit: Int
    ) async throws(EventStoreError) -> [Registration] {
        let page = try await base.page(claim, onlyOwed, now, after, limit)
        let isHeld =
            !claim.pending.isEmpty && claim.pending.allSatisfy { $0.order?.sendAfter != nil }
        return isHeld ? [] : page
    }
}

struct RepeatingDeliveries: ForwardingDeliveryStore {
    let base: any DeliveryStore

    func claimNext(
        _ limit: Int, _ scope: ClaimScope, _ now: Moment?
    ) async throws(EventStoreError) -> [DeliveryClaim] {
        try await base.claimNext(limit, scope, now).map { claim in
            var claim = claim
            for index in claim.pending.indices where claim.pending[index].alert == nil {
                let amendments = claim.pending[index].alertContext?.amendments ?? []
                claim.pending[index].alert = amendments.first { $0.extent != nil }?.alert
            }
            return claim
        }
    }
}

struct CrossingDeliveries: ForwardingDeliveryStore {
    let base: any DeliveryStore
    private let states = Lock<[ActivityID: (tenant: TenantID, state: Data)]>([:])

    init(base: any DeliveryStore) { self.base = base }

    func claimNext(
        _ limit: Int, _ scope: ClaimScope, _ now: Moment?
    ) async throws(EventStoreError) -> [DeliveryClaim] {
        try await base.claimNext(limit, scope, now).map { claim in
            var claim = claim
            let id = claim.snapshot.activityID
            let known = states.withLock { $0[id] }
            if let known, known.tenant != claim.tenant {
                claim.snapshot.contentState = known.state
            } else {
                let state = claim.snapshot.contentState
                states.withLock { [tenant = claim.tenant] in $0[id] = (tenant, state) }
            }
            return claim
        }
    }
}
