import Domain
import EventStore

/// Somebody who keeps a copy of a tenant's log, and does what a `log-restored` problem says.
struct Follower {
    let tenant: TenantID
    private var epoch = firstLogEpoch
    private var copy: [RecordedEvent] = []

    init(of tenant: TenantID) { self.tenant = tenant }

    mutating func follow(_ database: MemoryDatabase) {
        let position = Int64(copy.count)
        let (epochs, events) = database.look { tables in
            (tables.epochs, tables[tenant].events)
        }
        let newer = epochs.filter { $0.number > epoch }
        if let last = newer.last {
            let kept = newer.compactMap { $0.kept[tenant] }.min() ?? 0
            copy.removeAll { $0.position > kept }
            epoch = last.number
            return follow(database)
        }
        if events.count > copy.count { copy += events.dropFirst(Int(position)) }
    }

    func isCopy(of tenant: MemoryTenant) -> Bool {
        copy.map(\.event) == tenant.events.map(\.event)
    }
}
