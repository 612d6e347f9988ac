import Domain
import EventStore
import struct Foundation.Data

/// What the board asks, of all there is: three phones for each activity, which have all that was
/// sent unless APNs refuses the key.
extension FakeStore: BoardStore {
    func search(
        _ tenant: TenantID, _: String, _: [String]
    ) throws(EventStoreError) -> (snapshots: [Snapshot], isPartial: Bool) {
        (try all(of: tenant), false)
    }

    func progress(
        _ tenant: TenantID, _ activities: [ActivityID]
    ) throws(EventStoreError) -> [ActivityID: DeliveryProgress] {
        var progress: [ActivityID: DeliveryProgress] = [:]
        for activity in activities { progress[activity] = try deliveryProgress(tenant, activity) }
        return progress
    }

    /// As many orders, recorded and folded.
    func seed(_ count: Int, _ tenant: TenantID) throws {
        logs[tenant] = (1...count).map { number in
            let id = "order-" + String(repeating: "0", count: 5 - "\(number)".count) + "\(number)"
            return RecordedEvent(
                tenant: tenant, position: Int64(number), version: 1, recordedAt: Self.now,
                event: NewEvent(
                    id: id, source: "/seed", type: "PizzaDelivery.OrderPlaced",
                    activityID: ActivityID(rawValue: id), occurredAt: Self.now,
                    data: Data(
                        """
                        {"orderNumber":"N\(number)","numberOfPizzas":2,"totalAmount":"$31.50",\
                        "promisedAt":"2099-01-15T08:40:00Z"}
                        """.utf8)))
        }
        try fold(tenant)
    }

    private func deliveryProgress(
        _ tenant: TenantID, _ activity: ActivityID
    ) throws(EventStoreError) -> DeliveryProgress {
        let rows = try decisions(tenant, activity, 0, .max)
        var progress = DeliveryProgress()
        (progress.phones, progress.upToDate) = (3, 3)
        guard let decision = rows.last(where: { $0.decision.verdict != .hold })?.decision else {
            return progress
        }
        progress.said = DeliveryProgress.Said(
            version: decision.version, verdict: decision.verdict, rule: decision.rule,
            decidedAt: decision.decidedAt, title: decision.alert?.title)
        if isKeyRefused {
            (progress.upToDate, progress.waiting) = (0, 3)
        } else {
            (progress.acceptedVersion, progress.acceptedAt) = (decision.version, decision.decidedAt)
        }
        return progress
    }

    func phones(
        _ tenant: TenantID, _ activity: ActivityID, _ after: Int64?, _ limit: Int
    ) throws(EventStoreError) -> [PhoneRow] {
        guard try !decisions(tenant, activity, 0, 1).isEmpty else { return [] }
        func row(_ id: Int64) -> PhoneRow {
            PhoneRow(
                id: id, bundleID: "com.example.pizza", environment: "sandbox",
                registeredAt: Self.now)
        }
        var closed = row(1)
        (closed.sentVersion, closed.closedAt, closed.closedBy) = (1, Self.now, "dismissed")
        let accepted = try deliveryProgress(tenant, activity).acceptedVersion ?? 0
        let served = (Int64(2)...4).map { id -> PhoneRow in
            var served = row(id)
            served.sentVersion = accepted
            served.locale = "en"
            if isKeyRefused { (served.lastFailure, served.owedAt) = ("key-refused", Self.now) }
            return served
        }
        let after = after ?? 0
        return (after == 0 ? [closed] : []) + served.filter { $0.id > after }.prefix(limit)
    }

    func behind(
        _ tenant: TenantID, _ activity: ActivityID
    ) throws(EventStoreError) -> [PhoneRow] {
        try phones(tenant, activity, nil, .max).filter { $0.owedAt != nil }
    }

    func attention(
        _ tenant: TenantID, _ now: Moment
    ) throws(EventStoreError) -> Attention {
        let all = try all(of: tenant)
        let app = TenantApp(
            tenant: tenant, bundleID: "com.example.pizza", environment: .sandbox)
        var attention = Attention(freshness: try freshness(tenant))
        attention.blocked = all.count { $0.blockage != nil }
        attention.late = all.count {
            $0.phase != .ended && $0.facts.isLate($0.phase, at: now)
        }
        attention.hasPhone = !all.isEmpty
        attention.hasPush = !all.isEmpty && !isKeyRefused
        if isKeyRefused {
            attention.deferred = [DeferredPhones(app: app, suspension: .keyRefused, count: 3)]
            attention.alarms = [
                AppAlarm(
                    app: app, suspension: .keyRefused, reason: "InvalidProviderToken",
                    since: Self.now,
                    probeAt: now.adding(seconds: 60))
            ]
        }
        return attention
    }
}
