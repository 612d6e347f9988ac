import Domain
import EventStore

struct EventSource {
    private let log: any EventLog
    private let tenant: TenantID
    private let activity: ActivityID?
    private let through: Int64
    private let after: Int64
    private var position: Int64
    private var version: Int64 = 0
    private var isAtEnd = false

    init(
        _ log: any EventLog, _ tenant: TenantID, activity: ActivityID?, after: Int64, through: Int64
    ) {
        self.log = log
        self.tenant = tenant
        self.activity = activity
        self.through = through
        self.after = after
        position = after
    }

    mutating func next() async throws(ArchiveError) -> [RecordedEvent] {
        while !isAtEnd {
            try Interruption.check()
            let events = try await page()
            if !events.isEmpty { return events }
        }
        return []
    }

    private mutating func page() async throws(ArchiveError) -> [RecordedEvent] {
        let events =
            if let activity {
                try await asked(
                    try await log.readActivity(tenant, activity, version, Limits.pageEvents))
            } else {
                try await asked(try await log.read(tenant, position, Limits.pageEvents))
            }
        for event in events where event.position <= through {
            if activity == nil, event.position != position + 1 {
                throw .hole(from: position + 1, to: event.position - 1)
            }
            position = event.position
        }
        version = events.last?.version ?? version
        isAtEnd = events.count < Limits.pageEvents || (events.last?.position ?? 0) >= through
        if isAtEnd, activity == nil, position < through {
            throw .hole(from: position + 1, to: through)
        }
        return events.filter { $0.position > after && $0.position <= through }
    }
}

/// Finds the position at which an export ends.
enum LastPosition {
    static func find(
        _ log: any EventLog, _ tenant: TenantID, _ until: Export.Until?
    ) async throws(ArchiveError) -> Int64 {
        do throws(EventStoreError) {
            let head = try await log.head(tenant)
            switch until {
            case nil: return head
            case .position(let position): return min(position, head)
            case .moment(let moment): return try await find(log, tenant, moment, through: head)
            }
        } catch { throw .store(error) }
    }

    /// Times of recording never decrease, so the log can be searched by halves.
    private static func find(
        _ log: any EventLog, _ tenant: TenantID, _ moment: Moment, through head: Int64
    ) async throws(EventStoreError) -> Int64 {
        var low: Int64 = 0
        var high = head
        while low < high {
            let middle = low + (high - low + 1) / 2
            let event = try await log.read(tenant, middle - 1, 1).first
            if let event, event.recordedAt <= moment { low = middle } else { high = middle - 1 }
        }
        return low
    }
}
