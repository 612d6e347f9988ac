import Domain
import EventStore

/// Remembers for a few seconds what keys stand for. Unknown keys are not remembered: guessing must
/// not fill the memory.
actor GrantCache {
    private struct Entry {
        var grant: KeyGrant
        var until: Moment
    }

    private let lifetimeSeconds: Double
    private var entries: [[UInt8]: Entry] = [:]

    init(lifetimeSeconds: Double) {
        self.lifetimeSeconds = lifetimeSeconds
    }

    func grant(for hash: [UInt8], at now: Moment) -> KeyGrant? {
        guard let entry = entries[hash], now < entry.until else { return nil }
        return entry.grant
    }

    func keep(_ grant: KeyGrant, for hash: [UInt8], at now: Moment) {
        if entries.count >= Limits.cachedKeysMax { entries.removeAll(keepingCapacity: true) }
        entries[hash] = Entry(grant: grant, until: now.adding(seconds: lifetimeSeconds))
    }
}
