import Domain
import EventStore
import Foundation
import Projections
import TestSupport

struct MemoryEventLog: EventLog {
    let session: MemorySession

    func append(_ tenant: TenantID, _ events: [NewEvent], isAtomic: Bool)
        async throws(EventStoreError) -> [AppendResult]
    {
        try await session.statement { (tables, now) throws(EventStoreError) in
            try tables.requireKnown(tenant)
            if isAtomic { return tables[tenant].append(events, at: now) }
            return events.flatMap { tables[tenant].append([$0], at: now) }
        }
    }

    func select(
        _ tenant: TenantID, _ filter: EventFilter, _ positions: ClosedRange<Int64>, _ limit: Int
    ) async throws(EventStoreError) -> [RecordedEvent] {
        try await session.statement { (tables, _) in
            let wanted = tables[tenant].events.lazy.filter {
                positions.contains($0.position) && filter.accepts($0.event)
            }
            return Array(wanted.prefix(limit))
        }
    }

    func readActivity(_ tenant: TenantID, _ activity: ActivityID, _ after: Int64, _ limit: Int)
        async throws(EventStoreError) -> [RecordedEvent]
    {
        try await session.statement { (tables, _) in
            Array(tables[tenant].stream(activity).dropFirst(Int(after)).prefix(limit))
        }
    }

    func head(_ tenant: TenantID) async throws(EventStoreError) -> Int64 {
        try await session.statement { (tables, _) in tables[tenant].head }
    }

}

extension MemoryTenant {
    /// All of them or, when any conflicts, none.
    fileprivate mutating func append(_ new: [NewEvent], at now: Moment) -> [AppendResult] {
        let before = self
        let results = new.map { append($0, at: now) }
        if results.allSatisfy(\.isAccepted) { return results }
        self = before
        return results.map { $0.withdrawn(after: before.head) }
    }

    private mutating func append(_ event: NewEvent, at now: Moment) -> AppendResult {
        let key = IdempotencyKey(event)
        if let index = known[key] {
            let recorded = events[index]
            return event.repeats(recorded.event)
                ? .alreadyKnown(position: recorded.position, version: recorded.version)
                : .contentConflict(position: recorded.position)
        }
        let version = Int64(streams[event.activityID]?.count ?? 0)
        if let expected = event.expectedVersion, expected != version {
            return .versionConflict(actual: version)
        }
        let recorded = RecordedEvent(
            tenant: tenant.id, position: head + 1, version: version + 1,
            recordedAt: max(now, events.last?.recordedAt ?? now), event: event.asRecorded)
        known[key] = events.count
        streams[event.activityID, default: []].append(events.count)
        events.append(recorded)
        return .recorded(position: recorded.position, version: recorded.version)
    }
}

struct MemoryPolicyStore: PolicyStore {
    let session: MemorySession

    func put(
        _ tenant: TenantID, _ kind: String, _ expected: Int?, _ document: Data, _ bytesMax: Int
    ) async throws(EventStoreError) -> PolicyPut {
        try await session.statement { (tables, now) throws(EventStoreError) in
            try tables.requireKnown(tenant)
            let newest = tables[tenant].policies.last { $0.kind == kind }
            if let newest, newest.document == document {
                return .known(version: newest.version, fromPosition: newest.fromPosition)
            }
            guard tables[tenant].policies.hasRoom(for: document, bytesMax) else { return .full }
            if let expected, expected != newest?.version ?? 0 { return .conflict }
            let policy = StoredPolicy(
                kind: kind, version: (newest?.version ?? 0) + 1,
                fromPosition: tables[tenant].head + 1, document: document, putAt: now)
            tables[tenant].wakePlanned(of: kind, at: now)
            tables[tenant].policies.append(policy)
            return .done(version: policy.version, fromPosition: policy.fromPosition)
        }
    }

    func inForce(
        _ tenant: TenantID, _ positions: ClosedRange<Int64>
    ) async throws(EventStoreError) -> [StoredPolicy] {
        try await session.statement { (tables, _) in
            tables[tenant].policies.inForce(positions)
        }
    }

    func versions(
        _ tenant: TenantID, _ kind: String, _ newest: Int, _ limit: Int
    ) async throws(EventStoreError) -> [StoredPolicy] {
        try await session.statement { (tables, _) in
            tables[tenant].policies.versions(kind, newest, limit)
        }
    }
}

extension MemoryTenant {
    /// Where quiet hours may hold starts by a policy before, what is only planned is looked at
    /// again. The second is for claims under way, which know that policy.
    fileprivate mutating func wakePlanned(of kind: String, at now: Moment) {
        let newest = policies.filter { $0.kind == kind }.suffix(10)
        guard newest.contains(where: \.hasQuietHours) else { return }
        for id in activities.keys {
            guard let activity = activities[id]?.activity, let snapshot = activity.snapshot,
                snapshot.kind == kind, snapshot.phase == .scheduled,
                let audience = activity.audience, !audience.isClosed,
                audience.dueAt.map({ $0 <= now }) ?? true
            else { continue }
            activities[id]?.activity.audience?.dueAt = now.adding(seconds: 1)
        }
    }
}

extension StoredPolicy {
    fileprivate var hasQuietHours: Bool {
        let wanted = try? JSONDecoder().decode(PolicyDocument.self, from: document)
        return wanted?.quietHours != nil
    }
}
