import Domain
import EventStore

/// All that a database had at one instant.
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
        let now = clock()
        change { tables in
            guard !isComplete else { return }
            tables.beginEpoch(at: now)
        }
    }
}

extension MemoryTables {
    fileprivate func restored(endingThoseOf later: MemoryTables) -> MemoryTables {
        var restored = self
        restored.carryOn(from: later)
        return restored
    }

    fileprivate mutating func beginEpoch(at now: Moment) {
        let heads = Dictionary(
            tenants.map { ($0.tenant.id, $0.head) }, uniquingKeysWith: { $1 })
        epochs.append(MemoryEpoch(number: (epochs.last?.number ?? firstLogEpoch) + 1, kept: heads))
        for tenant in tenants {
            for id in tenant.activities.keys.sorted() {
                self[tenant.tenant.id, id].giveUpStarts(at: now, on: tenant.devices)
                self[tenant.tenant.id, id].sendAgain(at: now)
            }
        }
    }
}

extension MemoryActivity {
    /// An audience whose time is yet to come keeps it: no phone can have been looked at. Of others
    /// all phones may have their card.
    fileprivate mutating func giveUpStarts(at now: Moment, on devices: [MemoryDevice]) {
        for index in starts.indices where starts[index].start.mayHaveGoneOut(by: now) {
            (starts[index].start.state, starts[index].start.dueAt) = (.unknown, nil)
            starts[index].start.reason = "log-restored"
            starts[index].changedAt = now
        }
        if var given = audience, let dueAt = given.dueAt, dueAt <= now {
            if !given.isClosed, snapshot?.phase != .ended {
                giveUpStarts(at: now, on: devices.filter { $0.id > given.cursor }, of: given)
            }
            given.dueAt = nil
            given.cursor = max(given.cursor, devices.map(\.id).max() ?? 0)
            audience = given
        }
    }

    private mutating func giveUpStarts(
        at now: Moment, on devices: [MemoryDevice], of audience: MemoryAudience
    ) {
        let topics = Set(audience.topics.map(ByteKey.init))
        for device in devices where start(of: device.id, restartVersion: 0) == nil {
            let follows = device.tokens.contains { kind, token in
                !token.isDead && token.follows(topics)
                    && snapshot.map { $0.kind == kind } ?? true
            }
            guard follows else { continue }
            var given = CardStart(dueAt: now)
            (given.state, given.dueAt, given.reason) = (.unknown, nil, "log-restored")
            starts.append(
                MemoryStart(
                    deviceID: device.id, restartVersion: 0, start: given,
                    putVersion: audience.putVersion, changedAt: now))
        }
    }

    fileprivate mutating func sendAgain(at now: Moment) {
        lastTimestamp = max(lastTimestamp ?? 0, now.unixSeconds)
        guard let snapshot, snapshot.phase != .ended else { return }
        for index in cards.indices where cards[index].isServed {
            cards[index].sentVersion = deliveredVersion(cards[index])
            cards[index].retryAt = .epoch
        }
        for index in channels.indices where channels[index].channel.state == .open {
            channels[index].channel.retryAt = .epoch
        }
    }
}

extension CardStart {
    /// Before a restore that has forgotten it. What waits for its audience's time or for its
    /// phone's budget cannot have gone out before it was due.
    fileprivate func mayHaveGoneOut(by now: Moment) -> Bool {
        switch state {
        case .trying: return true
        case .waiting, .held:
            if let dueAt, dueAt <= now { return true }
            return reason != nil && reason != "budget"
        case .started, .refused, .unknown, .needless: return false
        }
    }
}
