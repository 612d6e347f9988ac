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
            if Task.isCancelled { throw .interrupted }
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
