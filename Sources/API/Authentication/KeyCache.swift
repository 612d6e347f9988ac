import Domain
import EventStore
import Locks

/// Caches what follows from tenants' keys, for as long as the store would tell of a change. While
/// the store is not heard, nothing is cached.
final class KeyCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        var tenant: TenantID
        var until: Moment
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var isListening = false
        /// Grows with every change: an answer of the store that is older is not kept.
        var changeCount: UInt64 = 0
    }

    private let lifetimeSeconds: Double
    private let state = Lock(State())

    init(lifetimeSeconds: Double) {
        self.lifetimeSeconds = lifetimeSeconds
    }

    /// Listens for as long as the cache lives.
    func follow(_ notifications: AsyncStream<StoreNotification>) {
        Task { [weak self] in
            for await item in notifications {
                guard let self else { return }
                handle(item)
            }
            self?.handle(.lost)
        }
    }

    /// - Returns: what is remembered, and for `insert` how many changes there were so far, to be
    ///   looked up before the store is asked.
    func lookUp(_ key: Key, at now: Moment) -> (value: Value?, changeCount: UInt64) {
        state.withLock {
            let entry = $0.entries[key].flatMap { now < $0.until ? $0 : nil }
            return (entry?.value, $0.changeCount)
        }
    }

    func insert(
        _ value: Value, of tenant: TenantID, for key: Key, at now: Moment, changeCount: UInt64
    ) {
        state.withLock {
            guard $0.isListening, changeCount == $0.changeCount else { return }
            if $0.entries.count >= Limits.cachedKeysMax {
                $0.entries.removeAll(keepingCapacity: true)
            }
            $0.entries[key] = Entry(
                value: value, tenant: tenant, until: now.adding(seconds: lifetimeSeconds))
        }
    }

    func handle(_ notification: StoreNotification) {
        state.withLock { state in
            switch notification {
            case .happened(.keysChanged, let tenant):
                state.changeCount += 1
                state.entries = state.entries.filter { $0.value.tenant != tenant }
            case .resumed, .lost:
                state.changeCount += 1
                state.entries.removeAll(keepingCapacity: true)
                state.isListening = notification == .resumed
            case .happened: break
            }
        }
    }
}

/// The hash of a key. An array would be hashed byte by byte, and every request has one.
struct KeyDigest: Hashable {
    let bytes: [UInt8]

    func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}
