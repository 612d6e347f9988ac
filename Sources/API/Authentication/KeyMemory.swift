import Domain
import EventStore
import Locks

/// Remembers what follows from tenants' keys, for as long as the store would tell of a change.
/// While nothing is heard from the store nothing is remembered.
final class KeyMemory<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        var tenant: TenantID
        var until: Moment
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var isListening = false
        /// Grows with every change: an answer of the store that is older is not kept.
        var changes: UInt64 = 0
    }

    private let lifetimeSeconds: Double
    private let state = Lock(State())

    init(lifetimeSeconds: Double) {
        self.lifetimeSeconds = lifetimeSeconds
    }

    /// Listens for as long as the memory lives.
    func follow(_ news: AsyncStream<StoreNotification>) {
        Task { [weak self] in
            for await item in news {
                guard let self else { return }
                note(item)
            }
            self?.note(.lost)
        }
    }

    /// - Returns: what is remembered, and for `keep` how many changes there were so far, to be
    ///   looked up before the store is asked.
    func look(for key: Key, at now: Moment) -> (value: Value?, changes: UInt64) {
        state.withLock {
            guard let entry = $0.entries[key], now < entry.until else { return (nil, $0.changes) }
            return (entry.value, $0.changes)
        }
    }

    func keep(
        _ value: Value, of tenant: TenantID, for key: Key, at now: Moment, changes: UInt64
    ) {
        state.withLock {
            guard $0.isListening, changes == $0.changes else { return }
            if $0.entries.count >= Limits.cachedKeysMax {
                $0.entries.removeAll(keepingCapacity: true)
            }
            $0.entries[key] = Entry(
                value: value, tenant: tenant, until: now.adding(seconds: lifetimeSeconds))
        }
    }

    func note(_ news: StoreNotification) {
        state.withLock { state in
            switch news {
            case .happened(.keysChanged, let tenant):
                state.changes += 1
                state.entries = state.entries.filter { $0.value.tenant != tenant }
            case .resumed, .lost:
                state.changes += 1
                state.entries.removeAll(keepingCapacity: true)
                state.isListening = news == .resumed
            case .happened: break
            }
        }
    }
}

/// Of a key. An array would be hashed byte by byte, and every request has one.
struct KeyDigest: Hashable {
    let bytes: [UInt8]

    func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
