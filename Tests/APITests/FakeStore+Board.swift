import Domain
import EventStore
import struct Foundation.Data

/// What the board asks, of all there is: three phones for each activity, which have all that was
/// sent unless APNs refuses the key.
extension FakeStore {
    nonisolated var boardStore: BoardStore {
        BoardStore(
            search: { tenant, _, _ async throws(EventStoreError) in
                (try await self.all(of: tenant), false)
            },
            standings: { tenant, activities async throws(EventStoreError) in
                var standings: [ActivityID: Standing] = [:]
                for activity in activities {
                    standings[activity] = try await self.standing(
                        Key(tenant: tenant, activity: activity))
                }
                return standings
            },
            phones: { tenant, activity, after, limit async throws(EventStoreError) in
                try await self.phones(Key(tenant: tenant, activity: activity), after ?? 0, limit)
            },
            attention: { tenant, now async throws(EventStoreError) in
                try await self.attention(tenant, now)
            })
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

    private func standing(_ key: Key) throws(EventStoreError) -> Standing {
        let rows = try decisions(key, after: 0, limit: .max)
        guard let row = rows.last(where: { $0.decision.verdict != .hold }) else {
            return Standing(phones: 3, upToDate: 3)
        }
        let decision = row.decision
        return Standing(
            said: Standing.Said(
                version: decision.version, verdict: decision.verdict, rule: decision.rule,
                decidedAt: decision.decidedAt, title: decision.alert?.title),
            acceptedVersion: isKeyRefused ? nil : decision.version,
            acceptedAt: isKeyRefused ? nil : decision.decidedAt, phones: 3,
            upToDate: isKeyRefused ? 0 : 3, waiting: isKeyRefused ? 3 : 0)
    }

    private func phones(
        _ key: Key, _ after: Int64, _ limit: Int
    ) throws(EventStoreError) -> [PhoneRow] {
        guard try !decisions(key, after: 0, limit: 1).isEmpty else { return [] }
        let closed = PhoneRow(
            id: 1, bundleID: "com.example.pizza", environment: "sandbox",
            registeredAt: Self.now, sentVersion: 1, closedAt: Self.now, closedBy: "dismissed")
        let served = (2...4).map {
            PhoneRow(
                id: $0, bundleID: "com.example.pizza", environment: "sandbox", locale: "en",
                registeredAt: Self.now, lastFailure: isKeyRefused ? "key-refused" : nil,
                owedAt: isKeyRefused ? Self.now : nil)
        }
        return (after == 0 ? [closed] : []) + served.filter { $0.id > after }.prefix(limit)
    }

    private func attention(
        _ tenant: TenantID, _ now: Moment
    ) throws(EventStoreError) -> Attention {
        let all = try all(of: tenant)
        let app = TenantApp(
            tenant: tenant, bundleID: "com.example.pizza", environment: .sandbox)
        var attention = Attention(progress: try progress(of: tenant))
        attention.faulted = all.count { $0.fault != nil }
        attention.late = all.count {
            $0.phase != .ended && $0.facts.isLate($0.phase, at: now)
        }
        attention.hasPhone = !all.isEmpty
        attention.hasPush = !all.isEmpty && !isKeyRefused
        if isKeyRefused {
            attention.held = [HeldPhones(app: app, hold: .keyRefused, count: 3)]
            attention.alarms = [
                AppAlarm(
                    app: app, hold: .keyRefused, reason: "InvalidProviderToken", since: Self.now,
                    probeAt: now.adding(seconds: 60))
            ]
        }
        return attention
    }
}
