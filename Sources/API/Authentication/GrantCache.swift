import Domain
import EventStore
import Locks

/// Remembers what keys stand for, for as long as the store would tell of a change. While nothing is
/// heard from the store nothing is remembered. Unknown keys never are: guessing must not fill the
/// memory.
final class GrantCache: Sendable {
    enum Finding {
        case remembered(Grant)
        /// - Parameter ticket: for `keep`, to be taken before the store is asked.
        case unknown(ticket: UInt64)
    }

    private struct Entry {
        var grant: Grant
        var until: Moment
    }

    /// Of a key. An array would be hashed byte by byte, and every request has one.
    private struct Digest: Hashable {
        let bytes: [UInt8]

        func hash(into hasher: inout Hasher) {
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    private struct State {
        var entries: [Digest: Entry] = [:]
        var isListening = false
        /// Grows with every change: an answer of the store that is older is not kept.
        var changes: UInt64 = 0
    }

    private let lifetimeSeconds: Double
    private let state = Lock(State())

    init(lifetimeSeconds: Double) {
        self.lifetimeSeconds = lifetimeSeconds
    }

    /// Listens for as long as the cache lives.
    func follow(_ news: AsyncStream<StoreNotification>) {
        Task { [weak self] in
            for await item in news {
                guard let self else { return }
                note(item)
            }
            self?.note(.lost)
        }
    }

    func look(for hash: [UInt8], at now: Moment) -> Finding {
        state.withLock {
            guard let entry = $0.entries[Digest(bytes: hash)], now < entry.until else {
                return .unknown(ticket: $0.changes)
            }
            return .remembered(entry.grant)
        }
    }

    func keep(_ grant: Grant, at now: Moment, ticket: UInt64) {
        state.withLock {
            guard $0.isListening, ticket == $0.changes else { return }
            if $0.entries.count >= Limits.cachedKeysMax {
                $0.entries.removeAll(keepingCapacity: true)
            }
            $0.entries[Digest(bytes: grant.hash)] = Entry(
                grant: grant, until: now.adding(seconds: lifetimeSeconds))
        }
    }

    func note(_ news: StoreNotification) {
        state.withLock { state in
            switch news {
            case .news(.keysChanged, let tenant):
                state.changes += 1
                state.entries = state.entries.filter { $0.value.grant.key.tenant.id != tenant }
            case .resumed, .lost:
                state.changes += 1
                state.entries.removeAll(keepingCapacity: true)
                state.isListening = news == .resumed
            case .news: break
            }
        }
    }
}
