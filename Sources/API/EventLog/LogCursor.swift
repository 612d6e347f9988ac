import Domain
import EventStore

/// Reads on in a tenant's log, event by event in the order of positions.
///
/// It reads up to the head as it stands, which is committed with everything before it: so it never
/// steps over an event that a slower writer has yet to commit.
struct LogCursor {
    let log: any EventLog
    let tenant: TenantID
    let filter: EventFilter
    /// Everything up to here has been looked through.
    private(set) var position: Int64
    /// Last position of the log when it was last looked at.
    private(set) var head: Int64 = 0

    var isAtHead: Bool { position >= head }

    /// The next events that pass the filter. Empty does not mean that there are none: see
    /// `isAtHead`.
    mutating func read(_ limit: Int) async throws(EventStoreError) -> [RecordedEvent] {
        head = try await log.head(tenant)
        guard head > position else { return [] }
        if filter.activity != nil, !filter.types.isEmpty { return try await readActivity(limit) }
        // Only the types have no index to find them by.
        let isScan = filter.activity == nil && !filter.types.isEmpty
        let last = isScan ? min(head, position + Limits.filteredPositionsMax) : head
        let events = try await log.select(tenant, filter, (position + 1)...last, limit)
        position = events.count < limit ? last : events.last?.position ?? last
        return events
    }

    /// Looks through a bounded number of an activity's events for those of the types.
    private mutating func readActivity(
        _ limit: Int
    ) async throws(EventStoreError) -> [RecordedEvent] {
        let all = try await log.select(
            tenant, EventFilter(activity: filter.activity), (position + 1)...head,
            Limits.lookedThroughRows)
        var wanted = all.filter { filter.types.contains($0.event.type) }
        if wanted.count > limit {
            wanted.removeLast(wanted.count - limit)
            position = wanted.last?.position ?? position
        } else {
            position = all.count < Limits.lookedThroughRows ? head : all.last?.position ?? head
        }
        return wanted
    }
}
