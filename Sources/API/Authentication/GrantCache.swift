import Domain
import EventStore
import Foundation

/// Remembers what keys stand for, for as long as the store would tell of a change. While nothing is
/// heard from the store nothing is remembered. Unknown keys never are: guessing must not fill the
/// memory.
///
/// `@unchecked Sendable`: `lock` protects every variable.
final class GrantCache: @unchecked Sendable {
    enum Finding {
        case remembered(KeyGrant)
        /// - Parameter ticket: for `keep`, to be taken before the store is asked.
        case unknown(ticket: UInt64)
    }

    private struct Entry {
        var grant: KeyGrant
        var until: Moment
    }

    private let lifetimeSeconds: Double
    private let lock = NSLock()
    private var entries: [[UInt8]: Entry] = [:]
    private var isListening = false
    /// Grows with every change that was told: an answer of the store that is older is not kept.
    private var changes: UInt64 = 0

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
        lock.withLock {
            guard let entry = entries[hash], now < entry.until else {
                return .unknown(ticket: changes)
            }
            return .remembered(entry.grant)
        }
    }

    func keep(_ grant: KeyGrant, for hash: [UInt8], at now: Moment, ticket: UInt64) {
        lock.withLock {
            guard isListening, ticket == changes else { return }
            if entries.count >= Limits.cachedKeysMax { entries.removeAll(keepingCapacity: true) }
            entries[hash] = Entry(grant: grant, until: now.adding(seconds: lifetimeSeconds))
        }
    }

    func note(_ news: StoreNotification) {
        lock.withLock {
            switch news {
            case .keysChanged(let tenant):
                changes += 1
                entries = entries.filter { $0.value.grant.tenant.id != tenant }
            case .resumed, .lost:
                changes += 1
                entries.removeAll(keepingCapacity: true)
                isListening = news == .resumed
            case .appended, .folded, .decided, .phonesWaiting, .appsChanged: break
            }
        }
    }
}
