import Domain
import EventStore

/// All that a database held at one instant.
struct MemoryBackup {
    fileprivate let tables: MemoryTables
}

/// What the database says of its log's identity.
struct MemoryEpoch: Hashable {
    var number: Int64
    /// Where each log ended when it began.
    var kept: [TenantID: Int64]
}

extension MemoryDatabase {
    func backup() -> MemoryBackup { look { MemoryBackup(tables: $0) } }

    /// All sessions end, and everything is as it was at the backup.
    func restore(_ backup: MemoryBackup) {
        change { tables in tables = backup.tables.restored(endingThoseOf: tables) }
    }

    /// As `accept_log` of the real one.
    func accept(isComplete: Bool) {
        change { tables in
            guard !isComplete else { return }
            tables.beginEpoch()
        }
    }
}

extension MemoryTables {
    fileprivate func restored(endingThoseOf later: MemoryTables) -> MemoryTables {
        var restored = self
        restored.carryOn(from: later)
        return restored
    }

    fileprivate mutating func beginEpoch() {
        let heads = Dictionary(
            tenants.map { ($0.tenant.id, $0.head) }, uniquingKeysWith: { $1 })
        epochs.append(MemoryEpoch(number: (epochs.last?.number ?? firstLogEpoch) + 1, kept: heads))
        for tenant in tenants {
            for id in tenant.activities.keys.sorted() { self[tenant.tenant.id, id].sendAgain() }
        }
    }
}

extension MemoryActivity {
    fileprivate mutating func sendAgain() {
        for index in starts.indices where starts[index].start.dueAt != nil {
            starts[index].start.state = .unknown
            starts[index].start.dueAt = nil
        }
        audience?.dueAt = nil
        guard let snapshot, snapshot.phase != .ended else { return }
        for index in cards.indices where cards[index].isServed {
            cards[index].sentVersion = told(cards[index])
            cards[index].retryAt = .epoch
        }
        for index in channels.indices where channels[index].channel.state == .open {
            channels[index].channel.retryAt = .epoch
        }
    }
}
